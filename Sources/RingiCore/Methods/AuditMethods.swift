internal import EventLoop
internal import JSON
internal import JSONRPC
package import RingiKit

/// `audit.*`.
@Loop
package enum AuditMethods {
  package static func all(_ store: Store) -> [Method] { [list(store), verify(store)] }

  private static let hash = Schema.string("SHA-256 over the hash before and the entry's text, in hexadecimal.")

  private static let entry = Schema.object(
    [
      "number": .integer("Its place in the log, from 1."), "hash": hash,
      "time": .string("When it was done.", format: "date-time"),
      "action": .string("What was to be done: approve, reload, or a method's name."),
      "task": .string("The task that it was done to."),
      "outcome": .string("What came of it."),
      "actor": .any.described("Who had it done: a client, a hook, a job, a phrase, a signal."),
      "idempotencyKey": .string("The key that the client gave."),
      "backend": .any.described("What the backend said."), "details": .any.described("What else there is to know."),
    ], required: ["number", "hash"], isOpen: true)

  private static func list(_ store: Store) -> Method {
    Method(
      "audit.list", "Lists who had what done, oldest first: the newest entries, or those after a number.",
      params: .object([
        "since": .integer("The first entries after this number, instead of the newest.", 0...),
        "task": .string("Only entries about the task with this id, or tasks whose ids begin so.", minLength: 1),
        "action": .string("Only entries with this action.", minLength: 1),
        "limit": .integer("The most entries to answer with.", 1...1000).default(100),
      ]),
      result: .object(
        ["entries": .array(of: entry), "last": .integer("Ask again with this as since for what comes next.")],
        required: ["entries", "last"]),
      handler: .async { params, _ in
        let filter = AuditRows.Filter(task: params["task"]?.string, action: params["action"]?.string)
        let limit = Int(params["limit"]?.int ?? 100)
        let since = params["since"]?.int
        return try await store.read { connection in
          let head = try AuditRows.head(connection).number
          let rows =
            try since.map { try AuditRows.rows(connection, after: $0, matching: filter, limit: limit) }
            ?? AuditRows.newest(connection, matching: filter, limit: limit)
          let last = since != nil && rows.count == limit ? rows.last?.number ?? head : head
          return ["entries": JSONValue(array: rows.map(\.json)), "last": JSONValue(last)]
        }
      })
  }

  private static func verify(_ store: Store) -> Method {
    Method(
      "audit.verify", "Checks that no entry of the audit log was changed, taken out or put in.",
      params: .object([:]),
      result: .object(
        [
          "entries": .integer("How many there are."),
          "head": .string(
            "The hash of the last one. Kept elsewhere, it shows later whether the end was cut off."),
          "valid": .boolean("Whether all are as they were written."),
          "firstBroken": .integer("The first number whose entry is not."),
        ], required: ["entries", "head", "valid"]),
      handler: .async { _, _ in
        var check = AuditCheck()
        var isDone = false
        while !isDone {
          try Task.checkCancellation()
          let before = check
          (check, isDone) = try await store.read { connection in
            var check = before
            let goesOn = try check.advance(connection)
            return (check, !goesOn)
          }
        }
        let head = try await store.read { try AuditRows.head($0) }
        return .known([
          ("entries", JSONValue(check.firstBroken == nil ? check.head.number : head.number)),
          ("head", JSONValue((check.firstBroken == nil ? check.head : head).hash.hexadecimal)),
          ("valid", JSONValue(check.firstBroken == nil)), ("firstBroken", check.firstBroken.map { JSONValue($0) }),
        ])
      })
  }
}

extension AuditRows.Row {
  /// The entry with its place and its hash; a text that was spoilt stands as it is.
  fileprivate var json: JSONValue {
    let place: [(String, JSONValue)] = [("number", JSONValue(number)), ("hash", JSONValue(hash.hexadecimal))]
    let entry = (try? JSONValue(parsing: text))?.object.map { $0.map { ($0.key, $0.value) } }
    return JSONValue(object: place + (entry ?? [("text", JSONValue(String(decoding: text, as: UTF8.self)))]))
  }
}
