import Foundation
import Glibc
import Testing

@Suite struct StdioTests {
  @Test func closingStandardInputWritesTheAnswersAndEndsWithZero() throws {
    let folder = try AgentFolder()
    let result = try Program.run(
      "ringid", folder.arguments + ["--stdio"],
      input: """
        {"jsonrpc":"2.0","id":1,"method":"agent.ping"}
        {"jsonrpc":"2.0","id":"two","method":"agent.echo","params":{"amount":68.32}}
        """)
    #expect(result.status == 0)
    #expect(
      result.output == """
        {"jsonrpc":"2.0","id":1,"result":"pong"}
        {"jsonrpc":"2.0","id":"two","result":{"amount":68.32}}

        """)
    #expect(!FileManager.default.fileExists(atPath: folder.socket))
  }

  @Test func contentLengthIsAnsweredInKind() throws {
    let folder = try AgentFolder()
    let body = #"{"jsonrpc":"2.0","id":1,"method":"agent.echo","params":{"text":"Ordre d’achat – 🚀"}}"#
    let result = try Program.run(
      "ringid", folder.arguments + ["--stdio"], input: "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    let answer = #"{"jsonrpc":"2.0","id":1,"result":{"text":"Ordre d’achat – 🚀"}}"#
    #expect(result.output == "Content-Length: \(answer.utf8.count)\r\n\r\n\(answer)")
    #expect(result.status == 0)
  }

  @Test func nothingAsStandardInputIsTheEnd() throws {
    let folder = try AgentFolder()
    let result = try Program.run("sh", shell("< /dev/null", folder))
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test(arguments: ["| cat", "| (read first; echo \"$first\"; cat)", "> \"$4\"; cat \"$4\""])
  func everyAnswerArrivesThoughTheInputEndedLongBefore(output: String) throws {
    let folder = try AgentFolder()
    let input = folder.path("in")
    let count = 3000
    // More than a pipe holds, and each one waits for its turn.
    try (1...count).map {
      #"{"jsonrpc":"2.0","id":\#($0),"method":"events.publish","params":{"type":"x","data":"\#(String(repeating: "y", count: 300))"}}"#
    }.joined(separator: "\n").write(toFile: input, atomically: true, encoding: .utf8)
    let result = try Program.run("sh", shell("< \"$3\" \(output)", folder, input, folder.path("out")))
    #expect(result.output.split(separator: "\n").count == count)
    let piped = try Program.run(
      "sh", ["-c", "cat \"$3\" | \(shell(output, folder)[1])"] + shell("", folder, input, folder.path("out"))[2...])
    #expect(piped.output.split(separator: "\n").count == count)
  }

  /// The arguments of a shell that runs the agent with redirections.
  private func shell(_ redirections: String, _ folder: AgentFolder, _ more: String...) -> [String] {
    let ringid = Program.folder.appendingPathComponent("ringid").path
    return ["-c", "\"$0\" --stdio --config \"$1\" --state \"$2\" \(redirections)", ringid, folder.config, folder.state]
      + more
  }

  @Test func filesServeAsStandardInputAndOutput() throws {
    let folder = try AgentFolder()
    let (input, output) = (folder.path("in"), folder.path("out"))
    try #"{"jsonrpc":"2.0","id":1,"method":"agent.ping"}"#.write(toFile: input, atomically: true, encoding: .utf8)
    let result = try Program.run(
      "sh",
      [
        "-c", #"exec "$0" --stdio --config "$1" --state "$2" < "$3" > "$4""#,
        Program.folder.appendingPathComponent("ringid").path, folder.config, folder.state, input, output,
      ])
    #expect(result.status == 0)
    #expect(
      try String(contentsOfFile: output, encoding: .utf8) == "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"pong\"}\n")
  }

  @Test func theAgentEndsWithTheProcessThatStartedIt() throws {
    let folder = try AgentFolder()
    let shell = try Program(
      "sh",
      [
        "-c", #"(exec 3<&0; "$0" --stdio --config "$1" --state "$2" <&3 & echo $!; wait)"#,
        Program.folder.appendingPathComponent("ringid").path, folder.config, folder.state,
      ])
    #expect(shell.waitFor { $0.outputText.contains("\n") })
    let agent = try #require(Int32(shell.outputText.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(isAlive(agent))
    shell.send(SIGKILL)
    shell.closeInput()
    #expect(shell.waitFor(seconds: 10) { _ in !isAlive(agent) })
  }

  /// Whether a process runs; one that has ended and that nobody has asked for yet does not.
  private func isAlive(_ pid: Int32) -> Bool {
    guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
    return !stat.contains(") Z ")
  }
}
