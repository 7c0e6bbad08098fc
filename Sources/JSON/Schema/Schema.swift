/// What a value may be: a subset of JSON Schema (draft 2020-12), made by builders or read from a document.
///
/// Checked are `type`, `enum`, `const`, `minLength`, `maxLength`, `minimum`, `maximum`, `exclusiveMinimum`,
/// `exclusiveMaximum`, `items`, `minItems`, `maxItems`, `properties`, `required`, `additionalProperties`, `anyOf`,
/// `oneOf`, `allOf`, and `$ref` into the document's own `$defs`. Other keywords are kept and say nothing.
///
/// Two keywords are Ringi's own: `"x-secret": true` marks a value that no message may show and that is a string or says
/// where the secret is; `"x-duration": true` marks a string such as `"30s"`.
public struct Schema: Sendable {
  let rules: [SchemaRule]

  init(_ rules: [SchemaRule]) { self.rules = rules }

  /// The named properties, in the order in which they were declared; params by position come in this order.
  public var properties: [(name: String, schema: Schema)] {
    for case .properties(let properties) in rules { return properties }
    return []
  }

  public var propertyNames: [String] { properties.map(\.name) }

  /// The names of the properties that must be there.
  public var required: [String] {
    for case .required(let names) in rules { return names }
    return []
  }

  /// What the schema says about the meaning of its values.
  public var summary: String? {
    for case .annotation("description", let text) in rules { return text.string }
    return nil
  }

  /// What a missing value counts as; nothing here puts it in.
  public var defaultValue: JSONValue? {
    for case .annotation("default", let value) in rules { return value }
    return nil
  }

  /// The types a value may be of; none means any.
  var types: [SchemaType] {
    for case .type(let types) in rules { return types }
    return []
  }

  /// Whether it takes any object, and says nothing about its members.
  package var takesAnyObject: Bool {
    rules.allSatisfy { rule in
      switch rule {
      case .type(let types): types.contains(.object)
      case .properties(let properties): properties.isEmpty
      case .annotation: true
      default: false
      }
    }
  }

  var isSecret: Bool {
    rules.contains { if case .secret = $0 { true } else { false } }
  }

  func property(_ name: String) -> Schema? { properties.first { $0.name == name }?.schema }
}

/// The types that JSON Schema knows.
enum SchemaType: String {
  case null, boolean, integer, number, string, array, object

  /// An integer may be written as a real without a fraction (draft 2020-12 validation, section 6.1.1).
  func includes(_ value: JSONValue) -> Bool {
    switch (self, value.kind) {
    case (.null, .null), (.boolean, .bool), (.string, .string), (.array, .array), (.object, .object): true
    case (.number, .integer), (.number, .real): true
    case (.integer, .integer), (.integer, .real): value.int != nil
    default: false
    }
  }
}
