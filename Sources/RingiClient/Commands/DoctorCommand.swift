internal import JSON

extension Command {
  static let doctor = Command(
    name: "doctor", operands: "[PLUGIN…]", operandCount: 0...Int.max,
    summary: "Checks what may be wrong, and says what to do",
    details: """
      Looks at the configuration, permissions, the disk and the clock, and asks the backend of each plugin once: can it be
      reached, is its certificate good, does it take the credentials, what does its clock show? With PLUGIN only those are
      checked. It changes nothing, and ends with 1 when something is wrong; warnings are no failure.
      """,
    examples: [
      ("ringi doctor", "the agent and all plugins"),
      ("ringi doctor sap", "one plugin"),
      (#"ringi doctor --json | jq '.checks[] | select(.status == "problem")'"#, "for scripts"),
    ],
    run: { invocation throws(Failure) in
      do throws(Failure) {
        try Doctor.run(invocation)
      } catch  where error.code == .agentUnreachable {
        try SocketCheck.run(invocation)
        throw Failure(
          error.code, error.message,
          advice: error.advice + ["`ringid --check` tells whether its configuration can be used."])
      }
    })
}

/// The checks of a running agent.
private enum Doctor {
  static func run(_ invocation: Invocation) throws(Failure) {
    let plugins = invocation.arguments.operands
    var params: JSONValue = plugins.isEmpty ? [:] : ["plugins": JSONValue(array: plugins.map { JSONValue($0) })]
    let output = invocation.output
    // Who looks on sees each plugin as soon as it is done; a pipe gets them in their order.
    let isLive = output.isTerminal && !invocation.wantsJSON
    if isLive { params = params.setting("progressToken", to: "doctor") }
    var view = FindingView(output)
    var fault: Failure?
    let result = try invocation.call("agent.doctor", params) { section in
      view.show(Listing.rows(section, "checks"), of: section["plugin"]?.string)
      do throws(Failure) { try output.flush() } catch { fault = error }
    }
    if let fault { throw fault }
    let checks = Listing.rows(result, "checks")
    if invocation.wantsJSON { output.json(result) } else if !isLive { view.show(all: checks) }
    let problems = checks.count { $0["status"] == "problem" }
    guard problems == 0 else {
      throw Failure(.refused, "\(Count.text(JSONValue(problems), of: "problem")) in \(checks.count) checks.")
    }
    guard !invocation.wantsJSON else { return }
    let warnings = checks.count { $0["status"] == "warning" }
    output.line()
    output.line(
      "Nothing is wrong in \(checks.count) checks",
      warnings == 0 ? "." : Styled(", with \(Count.text(JSONValue(warnings), of: "warning")).", .yellow))
  }
}

/// Findings for a person: a heading for the agent and each plugin, a line for each check, and below it what to do.
struct FindingView {
  /// Where messages begin, when the terminal leaves room beside the names.
  private static let column = 19
  private static let leastColumns = 60

  private let output: Output
  private var isFirst = true

  init(_ output: Output) { self.output = output }

  /// Shows findings in their order, those of one plugin together.
  mutating func show(all checks: [JSONValue]) {
    var rest = checks[...]
    while let first = rest.first {
      let plugin = first["plugin"]?.string
      let section = rest.prefix { $0["plugin"]?.string == plugin }
      show(Array(section), of: plugin)
      rest = rest.dropFirst(section.count)
    }
  }

  /// Shows what was found about a plugin, or with nil about the agent.
  mutating func show(_ checks: [JSONValue], of plugin: String?) {
    if !isFirst { output.line() }
    isFirst = false
    output.line(plugin.map { Styled($0, .cyan) } ?? Styled("Agent", .bold))
    for check in checks { show(check) }
  }

  private func show(_ check: JSONValue) {
    let (mark, tint) = Self.mark(check["status"]?.string ?? "", isTerminal: output.isTerminal)
    let name = Fields.plainText(check["check"])
    let isWide = output.columns.map { $0 >= Self.leastColumns } ?? true
    let column = isWide ? Self.column + (output.isTerminal ? 0 : 7) : 6
    output.line(
      Styled("  \(mark) \(name)  ", tint), hanging: Styled(Fields.plainText(check["message"])), at: column)
    guard let advice = check["advice"]?.string else { return }
    let lead = String(repeating: " ", count: column) + (output.isTerminal ? "→ " : "-> ")
    output.line(Styled(lead), hanging: Styled(advice))
  }

  private static func mark(_ status: String, isTerminal: Bool) -> (String, Styled.Tint?) {
    switch status {
    case "ok": (isTerminal ? "✓" : "ok      ", .green)
    case "warning": (isTerminal ? "!" : "warning ", .yellow)
    case "problem": (isTerminal ? "✗" : "problem ", .red)
    default: (isTerminal ? "-" : "skipped ", .dim)
    }
  }
}
