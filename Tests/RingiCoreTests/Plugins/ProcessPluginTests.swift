import EventLoop
import Foundation
import JSON
import RingiTestSupport
import Testing

@testable import RingiCore

/// The life of plugins that are programs, on a clock that the test moves.
struct ProcessPluginTests {
  private final class Rig: Sendable {
    let folder: TemporaryFolder
    let agent: Agent
    let clock: TestClock

    init(_ command: [String]) async throws {
      folder = try TemporaryFolder()
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/config/plugins.d", withIntermediateDirectories: true)
      let file: JSONValue = ["command": JSONValue(array: command.map { JSONValue($0) })]
      try folder.write("config/plugins.d/p.json", file.description)
      let path = folder.path
      let clock = try await onLoop { TestClock() }
      self.clock = clock
      agent = try await onLoop {
        var options = Agent.Options(
          configDirectory: "\(path)/config", stateDirectory: "\(path)/state", defaultSocket: "\(path)/agent.sock",
          environment: ["PATH": "/usr/bin:/bin"])
        options.sockets = ["\(path)/agent.sock"]
        return Agent(options: options, providers: [], clock: clock)
      }
      try await onLoop { [agent] in try await agent.start() }
    }

    var row: JSONValue { get async throws { try await onLoop { [agent] in try agent.plugins.row("p") } } }

    func events(_ type: String) throws -> [JSONValue] {
      let client = try TestClient("\(folder.path)/agent.sock")
      return try client.call("events.list", ["types": [JSONValue(type)]])["events"]?.array.map(Array.init) ?? []
    }

    /// Waits for a state without moving the clock.
    func wait(for state: String, restarts: Int) async throws -> JSONValue {
      for _ in 0..<20_000 {
        let row = try await row
        if row["state"]?.string == state, row["restarts"] == JSONValue(restarts) { return row }
        try await Task.sleep(for: .milliseconds(2))
      }
      throw Unexpected("it never was \(state) after \(restarts) restarts: \(try await row)")
    }

    func stop() async throws {
      let work = Task { try await onLoop { [agent] in await agent.stop() } }
      try await work.value
    }
  }

  @Test("A program that crashes at each start is started again after 1, 2, 4 and 8 seconds, and then no more")
  func crashes() async throws {
    let rig = try await Rig(["/bin/sh", "-c", "exit 7"])
    for (restarts, seconds) in [1, 2, 4, 8].enumerated() {
      let row = try await rig.wait(for: "backoff", restarts: restarts)
      #expect(row["lastError"] == "It ended with exit status 7.")
      try await onLoop { [clock = rig.clock] in clock.advance(by: .milliseconds(seconds * 1000 - 1)) }
      #expect(try await rig.row["state"] == "backoff")
      try await onLoop { [clock = rig.clock] in clock.advance(by: .milliseconds(1)) }
    }
    let row = try await rig.wait(for: "failed", restarts: 4)
    #expect(row["pid"] == .null)
    #expect(try rig.events("plugin-down").count == 1)
    try await rig.stop()
  }

  @Test("An agent that ends lets go of a plugin that waits to be started again")
  func endInBackoff() async throws {
    let rig = try await Rig(["/bin/sh", "-c", "exit 7"])
    _ = try await rig.wait(for: "backoff", restarts: 0)
    try await rig.stop()
    try await onLoop { [clock = rig.clock] in clock.advance(by: .seconds(60)) }
    #expect(try await rig.row["restarts"] == 0)
  }
}
