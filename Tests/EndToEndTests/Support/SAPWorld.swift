import Foundation
import RingiTestSupport
import Sandbox

/// A backend in this process, and the configuration of an agent that watches it.
final class SAPWorld {
  let sandbox: SAPWorkflowSandbox
  let folder: AgentFolder
  var control: SAPControl { sandbox.control }

  /// Starts the backend and writes the configuration.
  ///
  /// - Parameters:
  ///   - poll: How often it is polled.
  ///   - settleAfter: Within what time it shows what it made of a decision.
  ///   - files: Further files of the configuration.
  /// - Throws: What keeps it from starting.
  init(poll: String = "1d", settleAfter: String = "60s", files: [String: String] = [:]) throws {
    var configuration = SAPWorkflowConfiguration(.neo)
    configuration.switches.latency = .after(.zero)
    sandbox = SAPWorkflowSandbox(configuration)
    try sandbox.start()
    folder = try AgentFolder(files)
    try folder.write(
      "plugins.d/sap.json",
      """
      {"provider": "sap-workflow", "poll": {"every": "\(poll)"}, "settleAfter": "\(settleAfter)",
       "settings": {"environment": "neo", "url": "\(sandbox.baseURL)", "user": "P1000009",
                    "password": {"env": "SAP_PASSWORD"}}}
      """)
  }

  deinit { sandbox.stop() }

  static let environment = ["SAP_PASSWORD": "administer-9"]

  var arguments: [String] { folder.arguments + ["--socket", folder.socket] }

  /// An agent that may not listen yet.
  func launch() throws -> Program { try Program("ringid", arguments, environment: Self.environment) }

  func client(of agent: Program) throws -> TestClient { try agent.connect(folder.socket) }
}
