package import JSON
package import RingiModel

/// Which events somebody wants.
///
/// `types` are globs over the type's name. Each member of `where` names a value of the event by a dotted path and gives
/// the value it must have, or an array of which it must have one. A path is looked for in the event's data
/// (`task.priority`), then in the data's task (`provider`), then in the envelope (`subject`).
package struct EventFilter: Equatable, Sendable {
  private let types: [Glob]
  private let conditions: [Condition]
  /// Most subscribers want everything, and are not to pay for those who don't.
  private let wantsAll: Bool

  private struct Condition: Equatable, Sendable {
    let path: [String]
    let values: [JSONValue]
  }

  /// Makes a filter.
  ///
  /// - Parameters:
  ///   - types: Globs over event types; one that matches is enough.
  ///   - conditions: The `where` object; `nil` and null ask for nothing.
  package init(types: [String] = ["*"], where conditions: JSONValue? = nil) {
    self.types = types.map { Glob($0) }
    self.conditions = (conditions?.object.map(Array.init) ?? []).map { key, value in
      Condition(path: key.split(separator: ".").map(String.init), values: value.array.map(Array.init) ?? [value])
    }
    wantsAll = types.contains("*") && self.conditions.isEmpty
  }

  @inline(__always)
  package func matches(_ event: Event) -> Bool { wantsAll || isMet(by: event) }

  /// As ``matches(_:)-(Event)``; who wants everything doesn't pay for a look at the event.
  @inline(__always)
  func matches(_ record: EventRecord) -> Bool { wantsAll || isMet(by: record.event) }

  /// Whether more than the type matters.
  var hasConditions: Bool { !conditions.isEmpty }

  func matchesType(of type: EventType) -> Bool {
    var name = type.rawValue
    return wantsAll || name.withUTF8 { name in types.contains { $0.matches(name) } }
  }

  private func isMet(by event: Event) -> Bool {
    guard matchesType(of: event.type) else { return false }
    guard !conditions.isEmpty else { return true }
    return conditions.allSatisfy { condition in
      let data = event.data
      let found =
        data.value(at: condition.path) ?? data["task"]?.value(at: condition.path)
        ?? event.json.value(at: condition.path) ?? .null
      return condition.values.contains(found)
    }
  }
}

extension JSONValue {
  func value(at path: [String]) -> JSONValue? {
    var value = self
    for key in path {
      guard let next = value[key] else { return nil }
      value = next
    }
    return value
  }
}
