import Foundation
import RingiTestSupport
import Testing

/// The program `ringi-sandbox`, as a process.
@Suite struct SandboxProgramTests {
  private final class Running {
    let process = Process()
    let input = Pipe()
    let output = Pipe()
    let errors = Pipe()

    init(_ arguments: String...) throws {
      let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      process.executableURL = URL(filePath: tests).deletingLastPathComponent().appending(path: "ringi-sandbox")
      process.arguments = arguments
      process.standardInput = input
      process.standardOutput = output
      process.standardError = errors
      try process.run()
    }

    func line() -> String {
      var bytes: [UInt8] = []
      while let byte = output.fileHandleForReading.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") {
        bytes.append(byte)
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    func status() -> Int32 {
      process.waitUntilExit()
      return process.terminationStatus
    }

    func text(_ pipe: Pipe) -> String {
      String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
  }

  @Test func printsItsURLAndEndsOnSIGTERMWithAnswersOpen() throws {
    let program = try Running("sap-workflow", "--env", "cf")
    let url = try #require(try /http:\/\/127\.0\.0\.1:([0-9]+)/.wholeMatch(in: program.line()))
    let connection = try RawConnection(port: try #require(UInt16(url.1)))
    let fault = #"{"route":"* /**","kind":"hang"}"#
    connection.send("POST /_control/faults HTTP/1.1\r\nHost: a\r\nContent-Length: \(fault.utf8.count)\r\n\r\n\(fault)")
    #expect(try connection.answer().status == 200)
    connection.send("GET /anything HTTP/1.1\r\nHost: a\r\n\r\n")
    program.process.terminate()
    #expect(connection.isClosedUnanswered())
    #expect(program.status() == 0)
    #expect(program.text(program.errors).isEmpty)
  }

  @Test func endsWhenStdinCloses() throws {
    let program = try Running("sap-workflow", "--until-stdin-closes")
    #expect(program.line().hasPrefix("http://"))
    try program.input.fileHandleForWriting.close()
    #expect(program.status() == 0)
  }

  @Test func explainsWrongUsage() throws {
    let program = try Running("sap-workflow", "--env", "azure")
    #expect(program.text(program.errors).contains("neo, cf or sbpa"))
    #expect(program.text(program.output).isEmpty)
    #expect(program.status() == 64)
  }

  @Test func refusesAPortThatIsTaken() throws {
    let first = try Running("sap-workflow", "--until-stdin-closes")
    let port = try #require(first.line().split(separator: ":").last)
    let second = try Running("sap-workflow", "--port", String(port))
    #expect(second.text(second.errors).contains("Choose another port"))
    #expect(second.status() == 69)
    first.process.terminate()
    #expect(first.status() == 0)
  }

  @Test func helpGoesToStdout() throws {
    let program = try Running("--help")
    #expect(program.text(program.output).contains("/_control/"))
    #expect(program.status() == 0)
  }
}
