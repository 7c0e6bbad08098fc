internal import JSON

/// Makes schemas of an OpenAPI document into schemas that stand by themselves.
///
/// References are followed and put in; one that leads into itself takes anything there.
struct OpenAPISchema {
  /// How much of a schema is taken over: schemas that refer to each other in all ways would grow without end.
  private final class Budget {
    static let most = 2000
    var left = most
    var wasExceeded = false

    func take() -> Bool {
      left -= 1
      if left < 0 { wasExceeded = true }
      return left >= 0
    }
  }

  let document: JSONValue
  private let budget = Budget()

  init(document: JSONValue) { self.document = document }

  /// Whether a schema was so large that parts of it take anything now.
  var isCut: Bool { budget.wasExceeded }

  /// Whether a plugin's file takes a keyword over: others say nothing to the agent, nor do values of another kind.
  private static func takes(_ keyword: String, _ value: JSONValue) -> Bool {
    switch keyword {
    case "type": return value.string.map(types.contains) ?? areTexts(value) { types.contains($0) }
    case "const", "default": return true
    case "enum": return value.array?.isEmpty == false
    case "format", "title", "description", "pattern", "contentMediaType": return value.string != nil
    case "minLength", "maxLength", "minItems", "maxItems": return value.int.map { $0 >= 0 } ?? false
    case "minimum", "maximum": return isNumber(value)
    case "exclusiveMinimum", "exclusiveMaximum": return isNumber(value) || value.bool != nil
    case "required": return areTexts(value) { _ in true }
    case "readOnly", "writeOnly": return value.bool != nil
    default: return false
    }
  }

  private static let types: Set<String> = ["null", "boolean", "object", "array", "number", "integer", "string"]

  private static func isNumber(_ value: JSONValue) -> Bool { value.int != nil || value.double != nil }

  private static func areTexts(_ value: JSONValue, _ fits: (String) -> Bool) -> Bool {
    value.array?.allSatisfy { $0.string.map(fits) ?? false } ?? false
  }

  /// What a value means, its reference followed; null where it leads nowhere.
  func resolved(_ value: JSONValue) -> JSONValue {
    var (value, left) = (value, 32)
    while let reference = value["$ref"]?.string, left > 0 {
      left -= 1
      value = target(reference) ?? .null
    }
    return value["$ref"] == nil ? value : .null
  }

  private func target(_ reference: String) -> JSONValue? {
    guard reference.hasPrefix("#"), let pointer = JSONPointer(String(reference.dropFirst())) else { return nil }
    return document[pointer: pointer]
  }

  /// A schema with all references in it followed, as far as it is not too large.
  func inlined(_ schema: JSONValue) -> JSONValue {
    budget.left = Budget.most
    return inlined(schema, path: [])
  }

  /// The same; `path` are the references that led here.
  private func inlined(_ schema: JSONValue, path: [String]) -> JSONValue {
    guard budget.take() else { return .emptyObject }
    if let reference = schema["$ref"]?.string {
      guard !path.contains(reference), path.count < 32, let target = target(reference) else { return .emptyObject }
      return inlined(target, path: path + [reference])
    }
    guard let object = schema.object else { return schema.bool.map { JSONValue($0) } ?? .emptyObject }
    var members: [(String, JSONValue)] = []
    for (keyword, value) in object {
      switch keyword {
      case "properties":
        members.append(
          (keyword, JSONValue(object: value.object?.map { ($0.key, inlined($0.value, path: path)) } ?? [])))
      case "items", "additionalProperties": members.append((keyword, inlined(value, path: path)))
      case "anyOf", "oneOf", "allOf":
        members.append((keyword, JSONValue(array: value.array?.map { inlined($0, path: path) } ?? [])))
      default: if Self.takes(keyword, value) { members.append((keyword, value)) }
      }
    }
    return Self.modern(JSONValue(object: members), isNullable: schema["nullable"]?.bool == true)
  }

  /// The forms of OpenAPI 3.0 as those of JSON Schema: `nullable`, and bounds that say whether they are exclusive.
  private static func modern(_ schema: JSONValue, isNullable: Bool) -> JSONValue {
    var schema = schema
    for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
      guard let isExclusive = schema[exclusive]?.bool else { continue }
      schema = schema.setting(exclusive, to: isExclusive ? schema[bound] : nil)
      if isExclusive { schema = schema.setting(bound, to: nil) }
    }
    guard isNullable, let type = schema["type"]?.string else { return schema }
    schema = schema.setting("type", to: [.init(type), "null"])
    if let values = schema["enum"]?.array { schema = schema.setting("enum", to: JSONValue(array: values + [.null])) }
    return schema
  }

  /// The properties of an object's schema, those of all its parts together; nil when it is no plain object.
  func properties(_ schema: JSONValue) -> (properties: [(name: String, schema: JSONValue)], required: [String])? {
    if schema["anyOf"] != nil || schema["oneOf"] != nil { return nil }
    var properties: [(name: String, schema: JSONValue)] = []
    var required = schema["required"]?.array?.compactMap(\.string) ?? []
    for part in schema["allOf"]?.array.map(Array.init) ?? [] {
      guard let inner = self.properties(part) else { return nil }
      properties += inner.properties
      required += inner.required
    }
    properties += schema["properties"]?.object?.map { ($0.key, $0.value) } ?? []
    guard !properties.isEmpty || schema["type"]?.string == "object" else { return nil }
    return (properties, required)
  }
}
