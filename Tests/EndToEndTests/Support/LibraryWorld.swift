import Foundation
import JSON
import RingiTestSupport
import Testing

/// An agent in front of plugins that are shared libraries, compiled here from their sources.
struct LibraryWorld {
  static let package = URL(filePath: #filePath).appending(path: "../../../..").standardized.path
  static let isPossible = FileManager.default.isExecutableFile(atPath: "/usr/bin/cc")

  /// The compiler of the toolchain that runs the tests, where it can be told.
  static let swiftc: String? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/swiftc" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  let folder: AgentFolder
  let agent: Program
  let client: TestClient

  /// Starts an agent.
  ///
  /// - Parameters:
  ///   - folder: The configuration, with its libraries.
  ///   - running: The plugins to wait for.
  /// - Throws: What keeps the agent from starting.
  init(_ folder: AgentFolder, until running: [String]) throws {
    self.folder = folder
    agent = try Program("ringid", folder.arguments + ["--socket", folder.socket])
    client = try agent.connect(folder.socket)
    for plugin in running { try wait(for: plugin) { $0["state"] == "running" } }
  }

  /// An agent with the library of Fixtures/Libraries as the plugin `p`.
  init(_ file: JSONValue = [:], limits: JSONValue = ["requestTimeout": "3s"]) throws {
    let folder = try AgentFolder([
      "plugins.d/p.json": (["library": "./odd.so"] as JSONValue).merging(file).description,
      "ringi.json": (["limits": limits] as JSONValue).description,
    ])
    try Self.compileOdd(into: folder)
    try self.init(folder, until: ["p"])
  }

  @discardableResult
  func wait(for plugin: String, _ condition: (JSONValue) -> Bool) throws -> JSONValue {
    let end = Date(timeIntervalSinceNow: 40)
    while true {
      let row = try client.call("plugins.get", ["plugin": JSONValue(plugin)])
      if condition(row) { return row }
      guard Date() < end else { throw AgentFolder.AgentError(text: "\(row)\n\(agent.errorText)") }
      usleep(5000)
    }
  }

  /// What the agent says of the plugin `p`.
  var log: [String] {
    get throws {
      try client.call("plugins.logs", ["plugin": "p"])["lines"]?.array?.compactMap { $0["message"]?.string } ?? []
    }
  }

  static func compileOdd(into folder: AgentFolder, as name: String = "odd.so", _ defines: [String] = []) throws {
    try compile("Tests/Fixtures/Libraries/odd.c", into: folder, as: name, defines)
  }

  static func compile(
    _ source: String, into folder: AgentFolder, as name: String, _ defines: [String] = []
  ) throws {
    try run(
      "/usr/bin/cc",
      ["-std=gnu11", "-shared", "-fPIC", "-Wall", "-Werror", "-I\(package)/include"] + defines
        + ["-o", "\(folder.config)/plugins.d/\(name)", "\(package)/\(source)", "-ljansson", "-lpthread"])
  }

  /// Runs a compiler.
  static func run(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let output = Pipe()
    process.standardError = output
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(program) \(arguments.joined(separator: " "))\n\(text)")
  }
}
