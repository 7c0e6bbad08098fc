internal import EventLoop
internal import JSON
internal import JSONRPC
package import RingiKit

/// `agent.*`.
@Loop
package enum AgentMethods {
  /// What the methods ask of the agent.
  package struct Actions {
    package var status: @Loop @Sendable () -> JSONValue
    package var reload: @Loop @Sendable () async throws -> JSONValue
    package var shutdown: @Loop @Sendable () -> Void

    package init(
      status: @escaping @Loop @Sendable () -> JSONValue, reload: @escaping @Loop @Sendable () async throws -> JSONValue,
      shutdown: @escaping @Loop @Sendable () -> Void
    ) {
      self.status = status
      self.reload = reload
      self.shutdown = shutdown
    }
  }

  package static func all(_ actions: Actions) -> [Method] {
    [
      Method(
        "agent.ping", "Answers \"pong\".", params: .any.described("Anything; it is not looked at."),
        result: .string("pong"),
        handler: .bytes { _, _, output in output.append(literal: "\"pong\"") }),
      Method(
        "agent.echo", "Answers with its params.", params: .any.described("Anything."),
        result: .any.described("The params."),
        handler: .bytes { params, _, output in
          if params.isEmpty { output.append(literal: "null") } else { output.append(contentsOf: params) }
        }),
      Method(
        "agent.status", "Tells how the agent is.", params: .object([:]), result: .any.described("The agent's state."),
        handler: .sync { _, _ in actions.status() }),
      Method(
        "agent.reload", "Reads the configuration again.", params: .object([:]),
        result: .object(
          [
            "changed": .array(of: .string("A file that is new, gone or different.")),
            "problems": .array(of: .string("What is wrong; what it said before stays in force.")),
          ], required: ["changed", "problems"]),
        handler: .async { _, _ in try await actions.reload() }),
      Method(
        "agent.shutdown", "Ends the agent in an orderly way.", params: .object([:]), result: .null,
        handler: .sync { _, _ in
          actions.shutdown()
          return .null
        }),
    ]
  }
}
