import EventLoop
import Glibc
import JSON
import RingiCore
import RingiKit
import RingiTestSupport
import Testing

@Suite struct LogTests {
  /// A log that writes into a pipe, and the pipe's other end.
  @Loop
  private final class Fixture {
    let redactor = Redactor()
    let log: Log
    private var ends: [CInt] = [0, 0]

    init(level: Log.Level = .debug, format: Log.Format = .text) {
      pipe(&ends)
      for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
      log = Log(level: level, format: format, fileDescriptor: ends[1], clock: TestClock(), redactor: redactor)
    }

    deinit {
      close(ends[0])
      close(ends[1])
    }

    /// What was written since the last time.
    func written() -> String {
      var bytes: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 4096)
      while case let count = read(ends[0], &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  @Test func anEntryIsALineOfTextOrOfJSON() async throws {
    try await onLoop {
      let text = Fixture()
      text.log.write(.warning, "sap", "A poll failed.")
      #expect(text.written() == "2026-11-30T00:00:00Z warning sap: A poll failed.\n")
      let json = Fixture(format: .json)
      json.log.write(.warning, "sap", "A \"poll\" failed.\n")
      let entry = try JSONValue(parsing: json.written())
      #expect(
        entry
          == [
            "time": "2026-11-30T00:00:00Z", "level": "warning", "scope": "sap", "message": "A \"poll\" failed.\n",
          ])
    }
  }

  @Test func entriesBelowTheLevelAreDropped() async throws {
    try await onLoop {
      let fixture = Fixture(level: .warning)
      for level in Log.Level.allCases { fixture.log.write(level, "a", "\(level)") }
      #expect(fixture.written().split(separator: "\n").count == 2)
      fixture.log.level = .error
      fixture.log.write(.warning, "a", "x")
      #expect(fixture.written().isEmpty)
    }
  }

  @Test func aMessageStaysOnItsLineAndSendsATerminalNothing() async throws {
    try await onLoop {
      let fixture = Fixture()
      fixture.log.write(.info, "a", "one\ntwo\r\u{1B}[31m\u{0}\u{9B}x")
      let line = fixture.written()
      #expect(line.unicodeScalars.filter { $0.properties.generalCategory == .control } == ["\n"])
      #expect(line.hasSuffix("x\n"))
    }
  }

  @Test func secretsAreNotWrittenInEitherFormat() async throws {
    try await onLoop {
      for format in Log.Format.allCases {
        let fixture = Fixture(format: format)
        fixture.redactor.add("se\"same")
        fixture.log.write(.error, "sap", "The password se\"same is wrong, Basic dTpzZSJzYW1l.")
        let line = fixture.written()
        #expect(!line.contains("same") && !line.contains("zZSJzYW"), "\(line)")
      }
    }
  }

  @Test func aReaderThatDoesNotKeepUpLosesLinesAndIsToldHowMany() async throws {
    try await onLoop {
      let fixture = Fixture()
      for number in 0..<2000 { fixture.log.write(.info, "a", "\(number) \(String(repeating: "x", count: 100))") }
      let kept = fixture.written().split(separator: "\n").count
      #expect(kept < 2000)
      fixture.log.write(.info, "a", "again")
      let lines = fixture.written().split(separator: "\n")
      #expect(lines.count == 2)
      #expect(lines.first?.contains("\(2000 - kept) lines were lost") == true)
      #expect(lines.last?.hasSuffix("again") == true)
    }
  }

  @Test func aLongEntryIsWrittenWhole() async throws {
    try await onLoop {
      let fixture = Fixture()
      let message = String(repeating: "稟", count: 10_000)
      fixture.log.write(.info, "a", message)
      #expect(fixture.written() == "2026-11-30T00:00:00Z info a: \(message)\n")
    }
  }
}
