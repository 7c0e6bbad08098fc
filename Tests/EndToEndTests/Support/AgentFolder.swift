import Foundation
import RingiTestSupport

/// A configuration and a state directory of a test's own.
final class AgentFolder {
  let url: URL

  init(_ files: [String: String] = [:]) throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("ringi-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: url.appendingPathComponent("config"), withIntermediateDirectories: true)
    for (path, text) in files { try write(path, text) }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var config: String { url.appendingPathComponent("config").path }
  var state: String { url.appendingPathComponent("state").path }
  var socket: String { url.appendingPathComponent("agent.sock").path }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// Writes a file of the configuration.
  func write(_ path: String, _ text: String) throws {
    let file = URL(fileURLWithPath: config).appendingPathComponent(path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  var arguments: [String] { ["--config", config, "--state", state] }

  /// An agent on the folder's socket, which listens when this returns.
  func startAgent(_ extra: [String] = []) throws -> Program {
    let agent = try Program("ringid", arguments + ["--socket", socket] + extra)
    // The socket's file is there a moment before anybody listens.
    _ = try agent.connect(socket)
    return agent
  }

  struct AgentError: Error { let text: String }

  func client() throws -> TestClient { try TestClient(socket) }

  /// A client of an agent that was started in another way; waits until it listens.
  func client(of agent: Program) throws -> TestClient { try agent.connect(socket) }

  /// Calls a method through the command line client.
  func call(_ method: String, _ params: String = "{}") throws -> (status: Int32?, output: String, errors: String) {
    try Program.run("ringi", ["--socket", socket, "call", method, params, "--json"])
  }
}
