import Foundation
import JSON
import RingiClient
import Timing

/// One run of the client inside the test, beside a scripted agent.
struct Ringi {
  let code: ExitCode
  let output: String
  let errors: String
  /// What the agent was asked, without the envelope.
  let requests: [(method: String, params: JSONValue)]

  var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) }

  /// The moment at which all tests take place; the wall is in Tokyo.
  static let now = Timestamp(seconds: 1_795_929_000)  // 2026-11-29T05:10:00Z

  /// Runs a command line, without `--socket`, at a terminal of some columns or, with nil, in a pipe; without a script
  /// there is no agent.
  static func run(
    _ arguments: [String], columns: Int? = nil, environment: [String: String] = [:], input: String = "",
    interruption: Int32? = nil, script: FakeAgent.Script? = nil, onOutput: @escaping (String) -> Void = { _ in }
  ) throws -> Ringi {
    let agent = try script.map { try FakeAgent($0) }
    var environment = environment
    if let agent { environment["RINGI_SOCKET"] = agent.path }
    var output: [UInt8] = []
    var errors: [UInt8] = []
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try pipe.fileHandleForWriting.close()
    let variables = environment
    let surroundings = Surroundings(
      environment: { variables[$0] },
      output: Output(
        .function { bytes in
          output += bytes
          onOutput(String(decoding: bytes, as: UTF8.self))
        }, columns: columns),
      errors: Output(.function { errors += $0 }, columns: columns),
      input: pipe.fileHandleForReading.fileDescriptor,
      now: { now },
      secondsEastOfUTC: { _ in 9 * 3600 },
      interruption: { interruption })
    let code = Client.run(arguments, in: surroundings)
    let requests = agent?.requests.map { ($0["method"]?.string ?? "", $0["params"] ?? .null) } ?? []
    return Ringi(
      code: code, output: String(decoding: output, as: UTF8.self), errors: String(decoding: errors, as: UTF8.self),
      requests: requests)
  }

  /// Runs a command line, written word by word.
  static func run(
    _ arguments: String..., columns: Int? = nil, environment: [String: String] = [:], input: String = "",
    interruption: Int32? = nil, script: FakeAgent.Script? = nil, onOutput: @escaping (String) -> Void = { _ in }
  ) throws -> Ringi {
    try run(
      arguments, columns: columns, environment: environment, input: input, interruption: interruption,
      script: script, onOutput: onOutput)
  }
}
