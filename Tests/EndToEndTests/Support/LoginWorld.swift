import Foundation
import Glibc
import RingiTestSupport
import SQLite
import Testing

/// An agent with one instance that a person logs in at with `ringi login`; the tests are the browser.
class LoginWorld {
  let folder: AgentFolder
  private(set) var agent: Program
  private let instance: String
  private let environment: [String: String]

  /// Starts the agent.
  ///
  /// - Parameters:
  ///   - instance: The instance's name.
  ///   - plugin: Its file.
  ///   - environment: What its secrets are read from.
  /// - Throws: What keeps the agent from starting.
  init(_ instance: String, plugin: String, environment: [String: String]) throws {
    (self.instance, self.environment) = (instance, environment)
    folder = try AgentFolder(["plugins.d/\(instance).json": plugin])
    agent = try Self.start(folder, environment)
  }

  private static func start(_ folder: AgentFolder, _ environment: [String: String]) throws -> Program {
    let agent = try Program(
      "ringid", folder.arguments + ["--socket", folder.socket], environment: environment)
    _ = try agent.connect(folder.socket)
    return agent
  }

  func login(_ options: [String] = ["--no-browser"], path: String? = nil) throws -> Program {
    let environment = path.map { ["PATH": $0] } ?? [:]
    return try Program("ringi", ["--socket", folder.socket, "login", instance] + options, environment: environment)
  }

  /// The address that a login prints.
  func page(_ login: Program) throws -> String {
    func line() -> Substring? { login.errorText.split(separator: "\n").first { $0.contains("state=") } }
    _ = login.waitFor { line() != nil && $0.errorText.hasSuffix("\n") }
    return try #require(line().map { $0.trimmingCharacters(in: .whitespaces) }, "\(login.errorText)")
  }

  /// The code in a redirect.
  static func code(of callback: String) throws -> String {
    String(try #require(callback.split(separator: "code=").last?.prefix { $0 != "&" }))
  }

  /// What the agent keeps of the login, under a key.
  func kept(_ key: String) throws -> String? {
    try Connection(path: "\(folder.state)/ringi.db", isReadOnly: true).first(
      "SELECT CAST(value AS TEXT) FROM plugin_state WHERE key = '\(key)'"
    ) { $0.text(0) } ?? nil
  }

  func stop() {
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  /// Kills the agent, and starts another one on its state.
  func kill() throws {
    agent.send(SIGKILL)
    #expect(agent.wait() == -SIGKILL)
    agent = try Self.start(folder, environment)
  }

  /// Ends the agent, and starts another one on its state.
  func restart() throws {
    stop()
    agent = try Self.start(folder, environment)
  }
}
