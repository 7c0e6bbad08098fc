import JSON
import RingiKit
import RingiTestSupport
import Testing
import Timing

@testable import RingiCore

/// What is kept of a plugin's lines.
struct PluginLogTests {
  private static func numbers(_ list: JSONValue) -> [Int64] { list.array?.compactMap { $0["number"]?.int } ?? [] }

  @Test("It holds 500 lines and 128 KiB, and the oldest go first")
  func bounds() async throws {
    try await onLoop {
      let log = PluginLog()
      for number in 1...600 { log.append(.info, "\(number)", at: Timestamp(milliseconds: 0)) }
      #expect(Self.numbers(log.list(after: nil, limit: 1000)) == Array(101...600))
      for _ in 1...3 { log.append(.info, String(repeating: "x", count: 60 << 10), at: Timestamp(milliseconds: 0)) }
      #expect(Self.numbers(log.list(after: nil, limit: 1000)) == [602, 603])
      log.append(.info, String(repeating: "x", count: 1 << 20), at: Timestamp(milliseconds: 0))
      #expect(log.list(after: nil, limit: 1000)[0]?["message"]?.string?.utf8.count == PluginLog.maxBytes)
    }
  }

  @Test("Whoever asks with the last number gets each line once, and all of them after the agent was restarted")
  func numbers() async throws {
    try await onLoop {
      let log = PluginLog()
      for number in 1...5 { log.append(.error, "\(number)", at: Timestamp(milliseconds: 0)) }
      #expect(Self.numbers(log.list(after: nil, limit: 2)) == [4, 5])
      #expect(Self.numbers(log.list(after: 0, limit: 2)) == [1, 2])
      #expect(Self.numbers(log.list(after: 2, limit: 10)) == [3, 4, 5])
      #expect(Self.numbers(log.list(after: 5, limit: 10)) == [])
      #expect(Self.numbers(log.list(after: 70, limit: 10)) == [1, 2, 3, 4, 5])
      log.clear()
      log.append(.error, "6", at: Timestamp(milliseconds: 0))
      #expect(Self.numbers(log.list(after: nil, limit: 10)) == [6])
    }
  }
}
