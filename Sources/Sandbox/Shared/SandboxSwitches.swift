internal import JSON
internal import Timing

/// How a sandbox behaves where the real service varies, or where nobody knows; each switch has a name.
package protocol SandboxSwitches: Sendable {
  /// The switches with their values, as `set` takes them.
  var texts: [(name: String, value: String)] { get }

  /// Sets one switch by its name.
  ///
  /// - Throws: `SwitchError` for an unknown name or value; nothing is changed then.
  mutating func set(_ name: String, _ text: String) throws(SwitchError)
}

/// A switch name or value that is not known; says what would be.
package struct SwitchError: Error, CustomStringConvertible { package let description: String }

extension SandboxSwitches {
  func unknown(_ name: String) -> SwitchError {
    SwitchError(description: "No switch \(name); there are \(texts.map(\.name).joined(separator: ", ")).")
  }

  static func choice<Choice>(_ name: String, _ text: String) throws(SwitchError) -> Choice
  where Choice: RawRepresentable<String> & CaseIterable {
    try value(name, text, Choice(rawValue: text), Choice.allCases.map(\.rawValue).joined(separator: ", "))
  }

  static func duration(_ name: String, _ text: String) throws(SwitchError) -> Duration {
    try value(name, text, try? DurationText.parse(text), "a duration such as 30s, 20m or 12h")
  }

  static func bool(_ name: String, _ text: String) throws(SwitchError) -> Bool {
    try value(name, text, Bool(text), "true or false")
  }

  static func value<Value>(
    _ name: String, _ text: String, _ value: Value?, _ taken: String
  ) throws(SwitchError) -> Value {
    guard let value else { throw SwitchError(description: "\(name) takes \(taken), not \"\(text)\".") }
    return value
  }

  /// The switches as a control call shows them.
  var json: JSONValue { JSONValue(object: texts.map { ($0.name, .init($0.value)) }) }

  /// The same with some switches changed.
  ///
  /// - Throws: `ControlError` for an unknown switch or value.
  func changed(by changes: JSONValue) throws(ControlError) -> Self {
    guard let members = changes.object else { throw .invalid("A JSON object is needed.") }
    var changed = self
    for (name, value) in members {
      do throws(SwitchError) {
        try changed.set(name, value.isNull ? "none" : value.string ?? value.description)
      } catch {
        throw .invalid(error.description)
      }
    }
    return changed
  }
}
