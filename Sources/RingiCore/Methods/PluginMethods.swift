internal import EventLoop
internal import JSON
package import RingiKit

/// `plugins.*`.
@Loop
package enum PluginMethods {
  package static func all(_ host: PluginHost) -> [Method] {
    [
      Method(
        "plugins.list", "Lists the plugin instances.", params: .object([:]),
        result: .object(["plugins": .array(of: row)], required: ["plugins"]),
        handler: .sync { _, _ in ["plugins": host.list] }),
      Method(
        "plugins.get", "Tells how a plugin instance is.", params: params, result: row,
        handler: .sync { params, _ in try host.row(params.text("plugin")) }),
      Method(
        "plugins.restart", "Stops a plugin instance and starts it anew.", params: params, result: row,
        isMutation: true,
        handler: .async { params, _ in try await host.restart(params.text("plugin")) }),
    ]
  }

  private static let params = Schema.object(["plugin": .string("The instance's name.")], required: ["plugin"])

  private static let row = Schema.object(
    [
      "name": .string("The instance."), "kind": .string("How it is run.", enum: ["builtin", "process"]),
      "provider": .string("What it was loaded from."),
      "state": .string("Where it stands.", enum: ["starting", "running", "backoff", "failed", "disabled"]),
      "since": .string("Since when; RFC 3339."), "methods": .array(of: .string("A method it offers.")),
      "lastError": .string("What failed last.").nullable, "restarts": .integer("How often it was restarted."),
      "pid": .integer("The process of its program, which has one of its own.").nullable,
      "calls": .integer("How many calls its program was sent."),
      "inFlight": .integer("How many of them have no answer yet."),
    ], required: ["name", "kind", "provider", "state", "since", "methods", "lastError", "restarts"])
}
