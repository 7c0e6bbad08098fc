/// A value in the making, which containers of one encoder share until the outermost is done.
final class EncodedValue {
  private enum Content {
    case nothing
    case value(JSONValue)
    case array([EncodedValue])
    case object([(key: String, value: EncodedValue)])
  }

  private var content: Content

  init() { self.content = .nothing }

  init(_ value: JSONValue) { self.content = .value(value) }

  var count: Int {
    switch content {
    case .nothing, .value: 0
    case .array(let elements): elements.count
    case .object(let members): members.count
    }
  }

  func set(_ value: JSONValue) { content = .value(value) }

  /// Makes it an object, unless it is one: a type and its superclass may write into one container.
  func becomeObject() {
    if case .object = content { return }
    content = .object([])
  }

  func becomeArray() {
    if case .array = content { return }
    content = .array([])
  }

  func append(_ value: EncodedValue) {
    guard case .array(var elements) = content else { return }
    content = .nothing  // so that the array is changed in place
    elements.append(value)
    content = .array(elements)
  }

  func set(_ key: String, _ value: EncodedValue) {
    guard case .object(var members) = content else { return }
    content = .nothing
    members.append((key, value))
    content = .object(members)
  }

  /// The finished value; what encoded nothing is an empty object, as a type without members is.
  func finished() -> JSONValue {
    switch content {
    case .nothing: .emptyObject
    case .value(let value): value
    case .array(let elements): JSONValue(array: elements.lazy.map { $0.finished() })
    case .object(let members): JSONValue(object: members.map { ($0.key, $0.value.finished()) })
    }
  }
}
