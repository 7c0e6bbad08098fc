import Foundation
import JSON
import RingiClient
import Testing
import Text

@Suite struct DoctorCommandTests {
  private static func check(
    _ plugin: String?, _ check: String, _ status: String, _ message: String, _ advice: String? = nil
  ) -> JSONValue {
    let members: [(String, String?)] = [
      ("plugin", plugin), ("check", check), ("status", status), ("message", message), ("advice", advice),
    ]
    return JSONValue(object: members.compactMap { name, value in value.map { (name, JSONValue($0)) } })
  }

  private static let well: [JSONValue] = [
    check(nil, "disk", "ok", "73 GiB free for /var/lib/ringi"),
    check("sap", "clock", "warning", "the clock of sap.example is 2 min ahead of ours", "See `timedatectl`."),
  ]
  private static let ill =
    well + [
      check(
        "now", "reachability", "problem", "承認サーバー now.example:443 に接続できません。ファイアウォールかプロキシが止めています",
        "Check settings.url of /etc/ringi/plugins.d/now.json, and the proxy."),
      check("now", "tls", "skipped", "there was no connection to now.example"),
    ]

  private static func result(_ checks: [JSONValue]) -> JSONValue { ["checks": JSONValue(array: checks)] }

  @Test func inAPipeEachCheckIsALineInWords() throws {
    let run = try Ringi.run("doctor") { _, _ in .result(Self.result(Self.well)) }
    #expect(
      run.output == """
        Agent
          ok       disk           73 GiB free for /var/lib/ringi

        sap
          warning  clock          the clock of sap.example is 2 min ahead of ours
                                  -> See `timedatectl`.

        Nothing is wrong in 2 checks, with 1 warning.

        """)
    #expect(run.code == .success && run.requests.map(\.method) == ["agent.doctor"])
  }

  @Test func aProblemEndsWithOne() throws {
    let run = try Ringi.run("doctor", "now") { _, _ in .result(Self.result(Self.ill)) }
    #expect(run.code == .refused)
    #expect(run.errors == "ringi: 1 problem in 4 checks.\n")
    #expect(run.requests.last?.params == ["plugins": ["now"]])
  }

  @Test func theResultIsPrintedAsItCame() throws {
    let run = try Ringi.run("doctor", "--json") { _, _ in .result(Self.result(Self.ill)) }
    #expect(try JSONValue(parsing: run.output) == Self.result(Self.ill))
    #expect(run.code == .refused)
  }

  @Test(arguments: [40, 80]) func onATerminalItFitsAndComesSectionBySection(_ columns: Int) throws {
    let progress = [Array(Self.ill[2...]), [Self.ill[0]], [Self.ill[1]]].map { checks in
      let value: JSONValue = ["plugin": checks[0]["plugin"] ?? .null, "checks": JSONValue(array: checks)]
      return (["jsonrpc": "2.0", "method": "$/progress", "params": ["token": "doctor", "value": value]] as JSONValue)
        .description
    }
    var parts: [String] = []
    let run = try Ringi.run("doctor", columns: columns, environment: ["NO_COLOR": "1"]) { method, params in
      guard method == "agent.doctor" else { return .lines([]) }
      #expect(params["progressToken"] == "doctor")
      let answer: JSONValue = ["jsonrpc": "2.0", "id": 1, "result": Self.result(Self.ill)]
      return .lines(progress + [answer.description])
    } onOutput: {
      parts.append($0)
    }
    #expect(parts.filter { !$0.isEmpty }.count >= 3)
    #expect(run.output.hasPrefix("now\n  ✗ reachability"))
    for line in run.lines { #expect(displayWidth(of: line) <= columns, "\(line)") }
    // What is broken goes on in the column where it began.
    let marks = run.lines.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
    #expect(marks.count == 4, "\(run.output)")
    if columns == 80 {
      #expect(run.lines[1].hasPrefix("  ✗ reachability   承認サーバー"))
      #expect(run.lines.allSatisfy { !$0.hasPrefix("   ") || $0.hasPrefix(String(repeating: " ", count: 19)) })
    }
  }

  // MARK: Without an agent

  private func folder() throws -> String {
    let path = NSTemporaryDirectory() + "ringi-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return path
  }

  @Test func withoutAnAgentItSaysWhatTheSocketIsAndWhatToDo() throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/agent.sock"
    let none = try Ringi.run("doctor", environment: ["RINGI_SOCKET": path])
    #expect(none.code == .agentUnreachable)
    #expect(none.output.contains("there is no \(path)"), "\(none.output)")
    #expect(none.errors.contains("`ringid --check`") && none.errors.contains("Start it with `ringid`"))
    try "".write(toFile: path, atomically: true, encoding: .utf8)
    let file = try Ringi.run("doctor", "--json", environment: ["RINGI_SOCKET": path])
    #expect(file.code == .agentUnreachable)
    let checks = try JSONValue(parsing: file.output)["checks"]
    #expect(checks?[0]?["status"] == "problem" && checks?[0]?["message"]?.string == "\(path) is no socket")
    #expect(checks?[1]?["check"] == "permissions" && checks?[1]?["status"] == "ok")
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
    let open = try Ringi.run("doctor", environment: ["RINGI_SOCKET": path])
    #expect(open.output.contains("chmod 0755 \(folder)"), "\(open.output)")
  }
}
