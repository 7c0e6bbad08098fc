internal import HTTPServer
internal import JSON
internal import Timing

/// The JSON object that a control call came with; a misspelt member or a wrong type is an error, not ignored.
struct ControlBody {
  let object: JSONValue

  /// Takes an object with no other members than these.
  init(_ object: JSONValue, taking names: [String]) throws(ControlError) {
    guard let keys = object.object?.keys else { throw .invalid("A JSON object is needed.") }
    let unknown = keys.filter { !names.contains($0) }
    guard unknown.isEmpty else {
      let taken = names.isEmpty ? "none" : names.joined(separator: ", ")
      throw .invalid("No member \(unknown.joined(separator: ", ")); taken are \(taken).")
    }
    self.object = object
  }

  /// An empty body counts as `{}`.
  init(of request: ServerRequest, taking names: [String]) throws(ControlError) {
    try self.init(try Self.json(of: request), taking: names)
  }

  static func json(of request: ServerRequest) throws(ControlError) -> JSONValue {
    if request.body.isEmpty { return .emptyObject }
    do throws(JSONSyntaxError) {
      return try JSONValue(parsing: request.body)
    } catch {
      throw .invalid("The body is not JSON: line \(error.line), column \(error.column): \(error.message)")
    }
  }

  func string(_ name: String) throws(ControlError) -> String? { try read(name, "a string") { $0.string } }

  func bool(_ name: String) throws(ControlError) -> Bool? { try read(name, "true or false") { $0.bool } }

  func int(_ name: String) throws(ControlError) -> Int? {
    try read(name, "a whole number") { $0.int.flatMap { Int(exactly: $0) } }
  }

  func strings(_ name: String) throws(ControlError) -> [String]? {
    try read(name, "an array of strings") { value in
      guard let array = value.array else { return nil }
      let strings = array.compactMap(\.string)
      return strings.count == array.count ? strings : nil
    }
  }

  func duration(_ name: String) throws(ControlError) -> Duration? {
    try read(name, "a duration such as 500ms, 30s or 20m") { value in
      value.string.flatMap { try? DurationText.parse($0) }
    }
  }

  func latency(_ name: String) throws(ControlError) -> Latency? {
    try read(name, "tick, or a duration such as 500ms") { $0.string.flatMap(Latency.init) }
  }

  func time(_ name: String) throws(ControlError) -> Timestamp? {
    try read(name, "a time such as 2026-11-30T05:09:00Z") { $0.string.flatMap(Timestamp.init(rfc3339:)) }
  }

  func member(_ name: String) throws(ControlError) -> JSONValue? {
    try read(name, "an object") { $0.kind == .object ? $0 : nil }
  }

  func array(_ name: String) throws(ControlError) -> [JSONValue]? {
    try read(name, "an array") { $0.array.map(Array.init) }
  }

  func choice<Choice>(_ name: String) throws(ControlError) -> Choice?
  where Choice: RawRepresentable<String> & CaseIterable {
    try read(name, "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", ")) {
      $0.string.flatMap(Choice.init)
    }
  }

  func need<Value>(_ name: String, _ value: Value?) throws(ControlError) -> Value {
    guard let value else { throw .invalid("The member \(name) is needed.") }
    return value
  }

  /// An absent member and null give nil.
  private func read<Value>(
    _ name: String, _ taken: String, _ convert: (JSONValue) -> Value?
  ) throws(ControlError) -> Value? {
    guard let member = object[name], !member.isNull else { return nil }
    guard let value = convert(member) else { throw .invalid("\(name) takes \(taken), not \(member).") }
    return value
  }
}
