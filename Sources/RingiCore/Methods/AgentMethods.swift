internal import EventLoop
internal import JSON
internal import JSONRPC
package import RingiKit
internal import Text

/// `agent.*`.
@Loop
package enum AgentMethods {
  /// What the methods ask of the agent.
  package struct Actions {
    package var status: @Loop @Sendable () -> JSONValue
    package var reload: @Loop @Sendable (Call) async throws -> JSONValue
    package var shutdown: @Loop @Sendable (Call) -> Void

    package init(
      status: @escaping @Loop @Sendable () -> JSONValue,
      reload: @escaping @Loop @Sendable (Call) async throws -> JSONValue,
      shutdown: @escaping @Loop @Sendable (Call) -> Void
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
      identify,
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
        handler: .async { _, call in try await actions.reload(call) }),
      Method(
        "agent.shutdown", "Ends the agent in an orderly way.", params: .object([:]), result: .null,
        handler: .sync { _, call in
          actions.shutdown(call)
          return .null
        }),
    ]
  }

  /// Everybody's word for themselves, so it has to be fit for a line of a table.
  private static let identify = Method(
    "agent.identify", "Tells which program this connection's client is, for the audit log.",
    params: .object(
      [
        "name": .string("Its name.", minLength: 1, maxLength: 64),
        "version": .string("Its version.", minLength: 1, maxLength: 64),
      ], required: ["name"]), result: .null,
    handler: .sync { params, call in
      guard case .client(let client) = call.origin, let session = client as? Session else {
        throw RPCError.invalidRequest("Only a connection has a client that can say who it is.")
      }
      for parameter in ["name", "version"] where params[parameter]?.string?.unicodeScalars.contains(where: acts) == true
      {
        throw RPCError.invalidParams(
          "\(parameter) holds control characters; it takes text for a line.",
          details: ["parameter": JSONValue(parameter)])
      }
      session.identify(name: try params.text("name"), version: params["version"]?.string)
      return .null
    })
}
