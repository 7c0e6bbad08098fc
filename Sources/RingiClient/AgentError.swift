internal import JSON

/// The agent's answer when it cannot do what was asked.
struct AgentError {
  let code: Int64
  let message: String
  let data: JSONValue

  /// Reads the error object of a JSON-RPC response.
  init(_ error: JSONValue) {
    code = error["code"]?.int ?? 0
    message = error["message"]?.string ?? "The agent answered with an error that has no message."
    data = error["data"] ?? .null
  }

  /// What the person reads: the agent's own sentence, and what its data tells to do next.
  var failure: Failure {
    Failure(exitCode, sentence, advice: advice)
  }

  /// A line for each of several polls that failed.
  static func lines(ofPolls failed: [JSONValue]) -> [String] {
    failed.map { "\(Fields.plainText($0["provider"])): \(AgentError($0).sentence)" }
  }

  /// The message; what it names a method for, the shell has a command for.
  private var sentence: String {
    code == -32007 ? message.replacing("plugins.list", with: "`ringi plugins`") : message
  }

  private var exitCode: ExitCode {
    switch code {
    case -32700, -32602, -32600: .invalidParameters
    case -32601, -32004: .notFound
    case -32603: .internalError
    case -32000, -32006, -32007: .temporary
    case -32001, -32003: .notPermitted
    case -32005: .conflict
    case -32008: .unknownOutcome
    default: .refused
    }
  }

  private var advice: [String] {
    var lines: [String] = []
    // Most messages name them already.
    let candidates = (data["candidates"]?.array.map(Array.init) ?? []).map(Fields.plainText)
    if let first = candidates.first, !message.contains(first) {
      lines.append("It could be: " + candidates.joined(separator: ", "))
    }
    for (name, change) in data["changes"]?.object.map(Array.init) ?? [] {
      lines.append("\(name): \(Fields.plainText(change["from"])) → \(Fields.plainText(change["to"]))")
    }
    lines += Self.lines(ofPolls: data["failed"]?.array.map { Array($0.dropFirst()) } ?? [])
    if let seconds = data["retryAfter"]?.double {
      lines.append("Try again in \(Int64(clamping: seconds.rounded(.up))) s.")
    }
    switch code {
    case -32601: lines.append("`ringi discover` lists the methods.")
    case -32001: lines.append("`ringi discover` lists what this socket allows.")
    case -32007 where !sentence.contains("`ringi plugins`"): lines.append("`ringi plugins` says what became of it.")
    case -32008:
      guard let task = data["task"]?.string else { break }
      lines.append("`ringi task \(task)` shows what the backend says; decide again only when it is settled.")
    default: break
    }
    return lines
  }
}
