internal import JSON

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
