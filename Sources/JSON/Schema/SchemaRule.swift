/// One keyword of a schema with its value; a schema is what all of its rules say together.
enum SchemaRule: Sendable {
  case type([SchemaType])
  case values([JSONValue])
  case constant(JSONValue)
  case minLength(Int)
  case maxLength(Int)
  case minimum(JSONValue)
  case maximum(JSONValue)
  case exclusiveMinimum(JSONValue)
  case exclusiveMaximum(JSONValue)
  case items(Schema)
  case minItems(Int)
  case maxItems(Int)
  case properties([(name: String, schema: Schema)])
  case required([String])
  /// What members that `properties` doesn't name may be.
  case additionalProperties(Schema)
  case anyOf([Schema])
  case oneOf([Schema])
  case allOf([Schema])
  /// A name among the definitions of the whole schema; nil is the whole schema itself.
  case reference(String?)
  case definitions([(name: String, schema: Schema)])
  case secret
  case duration
  /// The schema `false`, which no value fits.
  case never
  /// A keyword that isn't checked.
  case annotation(String, JSONValue)
}
