package import JSON
internal import RingiKit
internal import Text
internal import Timing

/// What a check of a plugin found.
package struct PluginReport: Sendable {
  package enum Finding: Sendable, Equatable {
    /// Something is not as the protocol has it.
    case departure(expected: String, got: String)
    /// Something that works, and may not be what was meant.
    case remark(String)
  }

  /// One thing that was looked at.
  package struct Step: Sendable {
    package let name: String
    /// How long the plugin took.
    package let duration: Duration?
    package let findings: [Finding]
  }

  /// How many findings of one step are told; a long list of tasks may have the same fault in each.
  private static let maxFindings = 5

  /// The plugin instance.
  package let plugin: String
  /// Its file of plugins.d.
  package let file: String
  package private(set) var steps: [Step] = []

  init(plugin: String, file: String) { (self.plugin, self.file) = (plugin, file) }

  mutating func add(_ name: String, _ findings: [Finding], in duration: Duration? = nil) {
    var findings = findings
    let rest = findings.count - Self.maxFindings
    if rest > 0 { findings = findings.prefix(Self.maxFindings) + [.remark("There are \(rest) more of these.")] }
    steps.append(Step(name: name, duration: duration, findings: findings))
  }

  /// How many departures there are.
  package var departures: Int {
    steps.reduce(0) { $0 + $1.findings.count { if case .departure = $0 { true } else { false } } }
  }

  /// The report for programs.
  package var json: JSONValue {
    var departures: [JSONValue] = []
    var remarks: [JSONValue] = []
    for step in steps {
      let name = JSONValue(step.name)
      for finding in step.findings {
        switch finding {
        case .departure(let expected, let got):
          departures.append(["step": name, "expected": JSONValue(expected), "got": JSONValue(got)])
        case .remark(let text): remarks.append(["step": name, "remark": JSONValue(text)])
        }
      }
    }
    let steps = steps.map { step -> JSONValue in
      .known([("step", JSONValue(step.name)), ("milliseconds", step.duration.map { JSONValue($0.wholeMilliseconds) })])
    }
    return [
      "plugin": JSONValue(plugin), "file": JSONValue(file), "isRight": JSONValue(departures.isEmpty),
      "departures": JSONValue(array: departures), "remarks": JSONValue(array: remarks),
      "steps": JSONValue(array: steps),
    ]
  }

  /// The report for people, in lines; what the plugin wrote can't act on a terminal.
  ///
  /// - Parameter columns: The width of the terminal; `nil` breaks no line.
  /// - Returns: The lines, each with its end.
  package func text(columns: Int?) -> String {
    var lines = [visible("\(plugin) (\(file))")]
    let width = steps.map(\.name.count).max() ?? 0
    for step in steps {
      let isRight = !step.findings.contains { if case .departure = $0 { true } else { false } }
      let name = step.name + String(repeating: " ", count: width - step.name.count)
      lines.append(
        "  \(isRight ? "✓" : "✗") \(step.duration.map { "\(name)  \($0.wholeMilliseconds) ms" } ?? step.name)")
      for (word, text) in step.findings.flatMap(Self.entries) {
        lines.append(HangingText(visible(text), after: "      \(word)", at: 16, columns: columns).text)
      }
    }
    let count = departures
    lines.append(
      count == 0 ? "The plugin keeps to the protocol." : "\(count) departure\(count == 1 ? "" : "s") from the protocol."
    )
    return lines.map { $0 + "\n" }.joined()
  }

  private static func entries(_ finding: Finding) -> [(String, String)] {
    switch finding {
    case .departure(let expected, let got): [("expected", expected), ("got", got)]
    case .remark(let text): [("remark", text)]
    }
  }
}
