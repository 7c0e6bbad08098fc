extension Schema {
  /// Any value at all.
  public static let any = Schema([])

  /// No value at all.
  public static let never = Schema([.never])

  public static let null = Schema([.type([.null])])

  public static func boolean(_ description: String? = nil) -> Schema {
    Schema(.boolean, description, [])
  }

  /// A string; lengths are in Unicode characters.
  public static func string(
    _ description: String? = nil, minLength: Int? = nil, maxLength: Int? = nil, format: String? = nil
  ) -> Schema {
    Schema(
      .string, description,
      [
        minLength.map(SchemaRule.minLength), maxLength.map(SchemaRule.maxLength),
        format.map { .annotation("format", JSONValue($0)) },
      ])
  }

  /// One of some strings.
  public static func string(_ description: String? = nil, enum values: [String]) -> Schema {
    Schema(.string, description, [.values(values.map { JSONValue($0) })])
  }

  /// A string such as `"500ms"`, `"30s"`, `"5m"`, `"2h"` or `"1d"`.
  public static func duration(_ description: String? = nil) -> Schema {
    Schema(.string, description, [.duration])
  }

  /// A string, or an object that says where the secret is.
  ///
  /// Such an object is one of `{"env": NAME}`, `{"file": PATH}`, `{"command": [PROGRAM, ARGUMENT…]}` and
  /// `{"credential": NAME}`. What is found in the value's place is never shown.
  public static func secret(_ description: String? = nil) -> Schema {
    Schema([.type([.string, .object]), .secret]).described(description)
  }

  public static func integer(_ description: String? = nil) -> Schema { Schema(.integer, description, []) }

  public static func integer(_ description: String?, _ range: ClosedRange<Int64>) -> Schema {
    let bounds = [JSONValue(range.lowerBound), JSONValue(range.upperBound)]
    return Schema(.integer, description, [.minimum(bounds[0]), .maximum(bounds[1])])
  }

  public static func integer(_ description: String?, _ range: PartialRangeFrom<Int64>) -> Schema {
    Schema(.integer, description, [.minimum(JSONValue(range.lowerBound))])
  }

  /// An integer or a real.
  public static func number(
    _ description: String? = nil, minimum: Double? = nil, maximum: Double? = nil
  ) -> Schema {
    Schema(
      .number, description,
      [minimum.map { .minimum(JSONValue($0)) }, maximum.map { .maximum(JSONValue($0)) }])
  }

  public static func array(
    _ description: String? = nil, of items: Schema, minItems: Int? = nil, maxItems: Int? = nil
  ) -> Schema {
    Schema(
      .array, description,
      [.items(items), minItems.map(SchemaRule.minItems), maxItems.map(SchemaRule.maxItems)])
  }

  /// An object with the given members, in that order; others are refused unless it is open.
  public static func object(
    _ properties: KeyValuePairs<String, Schema>, required: [String] = [], isOpen: Bool = false
  ) -> Schema {
    object(properties: properties.map { ($0.key, $0.value) }, required: required, isOpen: isOpen)
  }

  public static func object(
    _ description: String, _ properties: KeyValuePairs<String, Schema>, required: [String] = [],
    isOpen: Bool = false
  ) -> Schema {
    object(properties, required: required, isOpen: isOpen).described(description)
  }

  /// The same for properties that are not known before the program runs.
  public static func object(
    properties: [(name: String, schema: Schema)], required: [String] = [], isOpen: Bool = false
  ) -> Schema {
    Schema(
      .object, nil,
      [
        .properties(properties), required.isEmpty ? nil : .required(required),
        isOpen ? nil : .additionalProperties(.never),
      ])
  }

  /// An object with any keys, whose values are all alike.
  public static func map(_ description: String? = nil, of values: Schema) -> Schema {
    Schema(.object, description, [.additionalProperties(values)])
  }

  /// The schema of an object with one more property, the last; without effect where none are declared.
  public func adding(_ name: String, _ schema: Schema) -> Schema {
    Schema(
      rules.map { rule in
        if case .properties(let properties) = rule { .properties(properties + [(name, schema)]) } else { rule }
      })
  }

  /// What fits one of the choices or several.
  public static func anyOf(_ choices: [Schema]) -> Schema { Schema([.anyOf(choices)]) }

  private init(_ type: SchemaType, _ description: String?, _ rules: [SchemaRule?]) {
    self = Schema([.type([type])] + rules.compactMap { $0 }).described(description)
  }
}

extension Schema {
  /// The same with a description, unless it is nil.
  public func described(_ description: String?) -> Schema {
    description.map { annotated("description", JSONValue($0)) } ?? self
  }

  /// The same with a note of what a missing value counts as.
  public func `default`(_ value: JSONValue) -> Schema { annotated("default", value) }

  private func annotated(_ keyword: String, _ value: JSONValue) -> Schema {
    let others = rules.filter { if case .annotation(keyword, _) = $0 { false } else { true } }
    return Schema(others + [.annotation(keyword, value)])
  }

  /// The same, or null.
  public var nullable: Schema {
    if rules.isEmpty { return self }
    guard !types.isEmpty else { return .anyOf([self, .null]) }
    return Schema(
      rules.map { rule in
        switch rule {
        case .type(let types): .type(types.contains(.null) ? types : types + [.null])
        case .values(let values): .values(values.contains(.null) ? values : values + [.null])
        case .constant(let value): .values([value, .null])
        default: rule
        }
      })
  }
}
