package import EventLoop
internal import JSON
internal import JSONRPC
package import RingiKit

/// `agent.backup`.
@Loop
package enum BackupMethod {
  package static func make(_ store: Store, _ clock: any LoopClock, _ redactor: Redactor) -> Method {
    Method(
      "agent.backup", "Copies the store into a file of the agent's machine, while everything goes on.",
      params: .object(
        [
          "file": .string("The file's absolute path.", minLength: 1),
          "force": .boolean("Replace the file if it is there.").default(false),
        ], required: ["file"]),
      result: .object(
        ["file": .string("The file."), "bytes": .integer("Its size.", 0...)], required: ["file", "bytes"]),
      // No mutation: it is of use when the store can't record anything, and is cut short when its client leaves.
      handler: .async { params, call in
        let file = try params.text("file")
        let force = params["force"]?.bool ?? false
        let bytes = try await store.backUp(to: file, replacing: force) { share in
          call.progress(["share": JSONValue(share)])
        }
        var entry = AuditEntry("backup", by: call.actor, outcome: "done", at: clock.now)
        entry.details = ["file": JSONValue(file), "bytes": JSONValue(bytes)]
        await store.keep([.audit(entry, redactor: redactor)])
        return ["file": JSONValue(file), "bytes": JSONValue(bytes)]
      })
  }
}
