internal import JSON
package import RingiModel

/// The environment of a hook's program.
package enum HookEnvironment {
  /// The longest value of a variable, in bytes; the whole is on the standard input.
  package static let maxValueBytes = 8 << 10

  private static let names: Set<String> = [
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "SHELL", "TMPDIR",
  ]
  private static let prefixes = ["LC_", "XDG_", "RINGI_"]
  /// An agent that a hook of another one started has these, about another event.
  private static let foreign = ["RINGI_EVENT_", "RINGI_TASK_"]

  /// The part of the agent's own environment that hooks get.
  package static func base(of environment: [String: String]) -> [String: String] {
    environment.filter { name, _ in
      (names.contains(name) || prefixes.contains { name.hasPrefix($0) }) && !foreign.contains { name.hasPrefix($0) }
    }
  }

  /// What tells a program about an event.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - redact: Takes secrets out of a value, before it is cut.
  /// - Returns: The variables' values by their names.
  package static func variables(for event: Event, redact: (String) -> String) -> [String: String] {
    let task = event.data["task"]
    let values = [
      "RINGI_EVENT_ID": event.id,
      "RINGI_EVENT_TYPE": event.type.rawValue,
      "RINGI_EVENT_SEQUENCE": String(event.sequence),
      "RINGI_TASK_ID": task?["id"]?.string,
      "RINGI_TASK_TITLE": task?["title"]?.string,
      "RINGI_TASK_PROVIDER": task?["provider"]?.string,
    ]
    return values.compactMapValues { $0.map { value($0, redact) } }
  }

  private static func value(_ text: String, _ redact: (String) -> String) -> String {
    var text = text
    text.unicodeScalars.removeAll { $0 == "\0" }
    return redact(text).prefix(bytes: maxValueBytes)
  }
}
