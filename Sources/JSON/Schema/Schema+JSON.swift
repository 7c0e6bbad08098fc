extension Schema {
  /// The schema as a JSON Schema document, with properties in their order.
  public var json: JSONValue {
    if rules.contains(where: { if case .never = $0 { true } else { false } }) { return false }
    return JSONValue(object: rules.map(\.member))
  }

  /// Reads a JSON Schema document; keywords that aren't known here are kept.
  /// - Throws: `SchemaError` when a known keyword's value isn't what the keyword takes, or a `$ref` leads out of the
  ///   document or in a circle.
  public init(json: JSONValue) throws(SchemaError) {
    try self.init(json, at: .root)
    try checkReferences()
  }

  init(_ json: JSONValue, at place: JSONPointer) throws(SchemaError) {
    if let bool = json.bool {
      self = bool ? .any : .never
      return
    }
    guard let members = json.object else {
      throw SchemaError(pointer: place, message: "a schema is an object, true or false")
    }
    var rules: [SchemaRule] = []
    for (keyword, value) in members {
      rules.append(try SchemaRule(keyword, KeywordValue(value: value, place: place.appending(keyword))))
    }
    self.init(rules)
  }
}

extension SchemaRule {
  /// The rule as a member of a document.
  fileprivate var member: (String, JSONValue) {
    switch self {
    case .type(let types) where types.count == 1: ("type", JSONValue(types[0].rawValue))
    case .type(let types): ("type", JSONValue(array: types.map { JSONValue($0.rawValue) }))
    case .values(let values): ("enum", JSONValue(array: values))
    case .constant(let value): ("const", value)
    case .minLength(let count): ("minLength", JSONValue(count))
    case .maxLength(let count): ("maxLength", JSONValue(count))
    case .minimum(let bound): ("minimum", bound)
    case .maximum(let bound): ("maximum", bound)
    case .exclusiveMinimum(let bound): ("exclusiveMinimum", bound)
    case .exclusiveMaximum(let bound): ("exclusiveMaximum", bound)
    case .items(let schema): ("items", schema.json)
    case .minItems(let count): ("minItems", JSONValue(count))
    case .maxItems(let count): ("maxItems", JSONValue(count))
    case .properties(let properties): ("properties", JSONValue(object: properties.map { ($0.name, $0.schema.json) }))
    case .required(let names): ("required", JSONValue(array: names.map { JSONValue($0) }))
    case .additionalProperties(let schema): ("additionalProperties", schema.json)
    case .anyOf(let schemas): ("anyOf", JSONValue(array: schemas.map(\.json)))
    case .oneOf(let schemas): ("oneOf", JSONValue(array: schemas.map(\.json)))
    case .allOf(let schemas): ("allOf", JSONValue(array: schemas.map(\.json)))
    case .reference(let name):
      ("$ref", JSONValue("#" + JSONPointer(tokens: name.map { ["$defs", $0] } ?? []).description))
    case .definitions(let schemas): ("$defs", JSONValue(object: schemas.map { ($0.name, $0.schema.json) }))
    case .secret: ("x-secret", true)
    case .duration: ("x-duration", true)
    case .never: ("not", [:])
    case .annotation(let keyword, let value): (keyword, value)
    }
  }

  fileprivate init(_ keyword: String, _ value: KeywordValue) throws(SchemaError) {
    self =
      switch keyword {
      case "type": .type(try value.types())
      case "enum": .values(try value.array("an array of values"))
      case "const": .constant(value.value)
      case "minLength": .minLength(try value.count())
      case "maxLength": .maxLength(try value.count())
      case "minimum": .minimum(try value.number())
      case "maximum": .maximum(try value.number())
      case "exclusiveMinimum": .exclusiveMinimum(try value.number())
      case "exclusiveMaximum": .exclusiveMaximum(try value.number())
      case "items": .items(try value.schema())
      case "minItems": .minItems(try value.count())
      case "maxItems": .maxItems(try value.count())
      case "properties": .properties(try value.schemasByName())
      case "required": .required(try value.names())
      case "additionalProperties": .additionalProperties(try value.schema())
      case "anyOf": .anyOf(try value.schemas())
      case "oneOf": .oneOf(try value.schemas())
      case "allOf": .allOf(try value.schemas())
      case "$ref": .reference(try value.definitionName())
      case "$defs", "definitions": .definitions(try value.schemasByName())
      case "x-secret" where value.value == true: .secret
      case "x-duration" where value.value == true: .duration
      default: .annotation(keyword, value.value)
      }
  }
}
