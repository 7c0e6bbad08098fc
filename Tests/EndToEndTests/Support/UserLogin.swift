import Foundation
import HTTPServer
import JSON
import RingiTestSupport
import SQLite
import Sandbox

/// A backend that exchanges refresh tokens, and a user's login there.
final class UserLogin {
  /// Where the agent finds the refresh token.
  enum Place: CaseIterable, Sendable { case file, environment }

  let sandbox: SAPWorkflowSandbox
  let token: String
  private let place: Place
  private let folder: AgentFolder
  var control: SAPControl { sandbox.control }
  var tokenFile: String { folder.path("token") }

  struct NoSuchUser: Error {}

  init(_ place: Place) throws {
    var configuration = SAPWorkflowConfiguration(.cf)
    configuration.switches.latency = .after(.zero)
    configuration.switches.refreshTokens = .rotated
    // So short that each request takes a new one.
    configuration.switches.tokenLife = .seconds(1)
    sandbox = SAPWorkflowSandbox(configuration)
    try sandbox.start()
    guard let token = sandbox.control.makeRefreshToken(for: "P1000009") else { throw NoSuchUser() }
    self.token = token
    self.place = place
    folder = try AgentFolder()
    try "\(token)\n".write(toFile: tokenFile, atomically: true, encoding: .utf8)
  }

  deinit { sandbox.stop() }

  /// The environment of an agent.
  var environment: [String: String] { ["SAP_SECRET": SAPClient.standardSecret, "SAP_TOKEN": token] }

  /// A configuration with this login, and a state directory.
  func agentFolder(_ files: [String: String] = [:]) throws -> AgentFolder {
    let folder = try AgentFolder(files)
    let refresh: JSONValue = place == .file ? ["file": JSONValue(tokenFile)] : ["env": "SAP_TOKEN"]
    let plugin: JSONValue = [
      "provider": "sap-workflow", "poll": ["every": "1d"],
      "settings": [
        "environment": "cf", "url": JSONValue(sandbox.baseURL), "uaaUrl": JSONValue(sandbox.url),
        "clientId": JSONValue(SAPClient.standardID), "clientSecret": ["env": "SAP_SECRET"], "refreshToken": refresh,
      ],
    ]
    try folder.write("plugins.d/sap.json", plugin.description)
    return folder
  }

  func launch(_ folder: AgentFolder) throws -> Program {
    try Program("ringid", folder.arguments + ["--socket", folder.socket], environment: environment)
  }

  /// How often a token was asked for.
  var exchanges: Int { control.requests.count { $0.request.path == "/oauth/token" } }

  /// All tokens that were ever sent here.
  var tokens: Set<String> {
    Set(
      control.requests.flatMap { entry -> [String] in
        let form = String(decoding: entry.request.body, as: UTF8.self).split(separator: "&refresh_token=").dropFirst()
        let bearer = (entry.request.headers["Authorization"] ?? "").split(separator: "Bearer ")
        return (Array(form) + (bearer.count == 1 ? bearer : [])).map { String($0) }.filter { !$0.hasPrefix("Basic") }
      })
  }

  /// The refresh token that an agent keeps in its store.
  static func kept(in folder: AgentFolder) throws -> String? {
    try Connection(path: "\(folder.state)/ringi.db", isReadOnly: true).first(
      "SELECT json_extract(CAST(value AS TEXT), '$.token') FROM plugin_state WHERE instance = 'sap'"
    ) { $0.text(0) }
  }
}
