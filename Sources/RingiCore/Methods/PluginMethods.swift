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
      logs(host), login(host), finishLogin(host),
    ]
  }

  private static func login(_ host: PluginHost) -> Method {
    Method(
      "plugins.login", "Begins a person's login at a plugin's backend, with a browser.", params: params,
      result: .object(
        [
          "plugin": .string("The instance."), "url": .string("The page to open."),
          "redirect": .string("Where the browser comes back to: somebody has to listen there."),
          "state": .string("What has to come back with the browser; anything else is no answer to this login."),
          "expiresIn": .integer("For how many seconds it can be finished."),
        ], required: ["plugin", "url", "redirect", "state", "expiresIn"]),
      handler: .sync { params, _ in try host.beginLogin(params.text("plugin")) })
  }

  private static func finishLogin(_ host: PluginHost) -> Method {
    Method(
      "plugins.finishLogin", "Ends a login with what the browser brought back.",
      params: .object(
        [
          "plugin": .string("The instance's name."), "state": .string("The state of plugins.login.", minLength: 1),
          "code": .string("The code, which is good for one login.", minLength: 1, maxLength: 8192),
        ], required: ["plugin", "state", "code"]),
      result: .object(
        ["plugin": .string("The instance."), "user": .string("Who is logged in.")], required: ["plugin", "user"]),
      isMutation: true,
      handler: .async { params, _ in
        try await host.finishLogin(params.text("plugin"), state: params.text("state"), code: params.text("code"))
      })
  }

  private static let params = Schema.object(["plugin": .string("The instance's name.")], required: ["plugin"])

  private static func logs(_ host: PluginHost) -> Method {
    let line = Schema.object(
      [
        "number": .integer("The line's own number, which grows by one with each."),
        "time": .string("When it was written.", format: "date-time"),
        "level": .string("Its weight.", enum: ["debug", "info", "warning", "error"]),
        "message": .string("What it says."),
      ], required: ["number", "time", "level", "message"])
    return Method(
      "plugins.logs",
      "Shows the log of a plugin instance, oldest line first: the newest lines, or those after a number.",
      params: .object(
        [
          "plugin": .string("The instance's name."),
          "limit": .integer("The most lines to answer with.", 1...1000).default(100),
          "since": .integer("The first lines after this number, instead of the newest.", 0...),
        ], required: ["plugin"]),
      result: .object(["lines": .array(of: line)], required: ["lines"]),
      handler: .sync { params, _ in
        let (number, limit) = (params["since"]?.int.map { Int($0) }, Int(params["limit"]?.int ?? 100))
        return ["lines": try host.log(of: params.text("plugin"), after: number, limit: limit)]
      })
  }

  private static let row = Schema.object(
    [
      "name": .string("The instance."),
      "kind": .string("How it is run.", enum: PluginFile.Kind.allCases.map(\.rawValue)),
      "provider": .string("What it was loaded from."),
      "state": .string("Where it stands.", enum: ["starting", "running", "backoff", "failed", "disabled"]),
      "since": .string("Since when; RFC 3339."),
      "uptime": .integer("For how many seconds it has run; null when it does not.").nullable,
      "methods": .array(of: .string("A method it offers.")),
      "lastError": .string("What failed last.").nullable, "restarts": .integer("How often it was restarted."),
      "pid": .integer("The process of its program, which has one of its own.").nullable,
      "memory": .integer("The resident memory of that process, in bytes.").nullable,
      "calls": .integer("How many calls of its methods and its tasks there were, restarts or not."),
      "inFlight": .integer("How many of them have not ended yet."),
      "errors": .integer("How many of them failed, those left out whose caller gave up."),
      "latency": .object(
        "How long the last 128 calls took that were answered, in milliseconds.",
        ["median": .number("Half of them took as long, or less."), "p95": .number("So did 95 in a hundred.")],
        required: ["median", "p95"]
      ).nullable,
    ],
    required: [
      "name", "kind", "provider", "state", "since", "uptime", "methods", "lastError", "restarts", "pid", "memory",
      "calls", "inFlight", "errors", "latency",
    ])
}
