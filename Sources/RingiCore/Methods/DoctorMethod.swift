internal import EventLoop
package import JSON
package import RingiKit

/// `agent.doctor`.
@Loop
package enum DoctorMethod {
  /// No mutation, for it changes nothing and is of use when nothing can be recorded.
  ///
  /// - Parameter examine: Checks the plugins of these names, or all and the agent.
  /// - Returns: The method.
  package static func make(_ examine: @escaping @Loop @Sendable ([String]?, Call) async throws -> JSONValue) -> Method {
    Method(
      "agent.doctor",
      "Checks the agent and the plugins, and says what to do; each plugin's backend is asked once.",
      params: .object([
        "plugins": .array("The instances to check; without, all of them and the agent itself.", of: .string())
      ]),
      result: .object(["checks": .array(of: check)], required: ["checks"]),
      handler: .async { params, call in
        try await examine(params["plugins"]?.array.map { $0.compactMap(\.string) }, call)
      })
  }

  private static let check = Schema.object(
    [
      "plugin": .string("The instance; absent where it is about the agent itself."),
      "check": .string("What was checked.", enum: Finding.Subject.allCases.map(\.rawValue)),
      "status": .string("What came of it.", enum: Finding.Status.allCases.map(\.rawValue)),
      "message": .string("What was found."), "advice": .string("What to do."),
    ], required: ["check", "status", "message"])
}
