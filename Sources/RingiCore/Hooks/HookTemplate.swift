package import JSON
package import RingiModel

/// Puts an event's values in the place of `${task.id}` in the strings of a hook's params.
///
/// A path is looked for as in a hook's `where`: in the event's data, then in the data's task, then in the envelope. A
/// string that is one placeholder and nothing else becomes the value itself, of whatever type. Inside a longer string
/// stands a string as it is, null as nothing, and any other value as JSON. `$${` is a plain `${`. Keys are left alone.
///
/// Values are put in place, never parsed: no text of an event can become structure.
package enum HookTemplate {
  /// There was no value for a placeholder.
  package struct UnknownPlaceholder: Error, Equatable, CustomStringConvertible {
    package let path: String

    package var description: String {
      "The event has no value for ${\(path)}; correct the hook's params, or narrow its `on` and `where`."
    }
  }

  /// Fills in a template.
  ///
  /// - Parameters:
  ///   - template: The hook's params.
  ///   - event: Where values come from.
  /// - Returns: The params for the call.
  /// - Throws: ``UnknownPlaceholder``.
  package static func fill(_ template: JSONValue, from event: Event) throws(UnknownPlaceholder) -> JSONValue {
    try fill(template, [event.data, event.data["task"] ?? .null, event.json])
  }

  private static func fill(_ value: JSONValue, _ places: [JSONValue]) throws(UnknownPlaceholder) -> JSONValue {
    if let text = value.string { return try fill(text, places) }
    if let array = value.array {
      var elements: [JSONValue] = []
      for element in array { elements.append(try fill(element, places)) }
      return JSONValue(array: elements)
    }
    guard let object = value.object else { return value }
    var members: [(String, JSONValue)] = []
    for (key, member) in object { members.append((key, try fill(member, places))) }
    return JSONValue(object: members)
  }

  private static func fill(_ text: String, _ places: [JSONValue]) throws(UnknownPlaceholder) -> JSONValue {
    let parts = parts(of: text)
    if parts.count == 1, case .placeholder(let path) = parts[0] { return try find(path, places) }
    var filled = ""
    for part in parts {
      switch part {
      case .plain(let text): filled += text
      case .placeholder(let path):
        let value = try find(path, places)
        filled += value.string ?? (value.isNull ? "" : value.description)
      }
    }
    return JSONValue(filled)
  }

  private static func find(_ path: String, _ places: [JSONValue]) throws(UnknownPlaceholder) -> JSONValue {
    let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    for place in places {
      if let value = place.value(at: keys) { return value }
    }
    throw UnknownPlaceholder(path: path)
  }

  private enum Part {
    case plain(String)
    case placeholder(String)
  }

  private static func parts(of text: String) -> [Part] {
    var parts: [Part] = []
    var plain = ""
    // By scalars: a combining mark after a brace must not hide the brace.
    var rest = text.unicodeScalars[...]
    while let first = rest.first {
      if rest.starts(with: "$${".unicodeScalars) {
        plain += "${"
        rest = rest.dropFirst(3)
      } else if rest.starts(with: "${".unicodeScalars), let end = rest.firstIndex(of: "}") {
        if !plain.isEmpty { parts.append(.plain(plain)) }
        plain = ""
        parts.append(.placeholder(String(rest[..<end].dropFirst(2))))
        rest = rest[end...].dropFirst()
      } else {
        plain.unicodeScalars.append(first)
        rest = rest.dropFirst()
      }
    }
    if !plain.isEmpty { parts.append(.plain(plain)) }
    return parts
  }
}
