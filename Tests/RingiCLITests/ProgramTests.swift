import Foundation
import Glibc
import JSON
import Testing

/// The program itself, as a process: what cannot be seen from inside the test.
@Suite struct ProgramTests {
  private static let event = #"{"jsonrpc":"2.0","method":"x","params":{"subscription":"1","event":{"type":"x"}}}"#
  private static let watched: FakeAgent.Script = { _, _ in
    .lines([#"{"jsonrpc":"2.0","id":1,"result":{"subscription":"1","sequence":0}}"#, event])
  }

  /// Starts the program that was built beside the tests.
  private func start(_ arguments: [String], _ agent: FakeAgent) throws -> (process: Process, output: FileHandle) {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("ringi")
    process.arguments = arguments
    process.environment = ["RINGI_SOCKET": agent.path]
    process.standardOutput = output
    try process.run()
    return (process, output.fileHandleForReading)
  }

  @Test func aPingIsAnswered() throws {
    let agent = try FakeAgent { _, _ in .result("pong") }
    let (process, output) = try start(["call", "agent.ping"], agent)
    #expect(try output.readToEnd() == Data("\"pong\"\n".utf8))
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func watchingEndsWellWithASignal(signal: Int32) throws {
    let agent = try FakeAgent(Self.watched)
    let (process, output) = try start(["watch", "--json"], agent)
    #expect(output.availableData == Data("{\"type\":\"x\"}\n".utf8))
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 0)
  }

  @Test func watchingEndsWhenNobodyReadsAnyMore() throws {
    let agent = try FakeAgent(Self.watched)
    let (process, output) = try start(["watch", "--json"], agent)
    #expect(!output.availableData.isEmpty)
    try output.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
