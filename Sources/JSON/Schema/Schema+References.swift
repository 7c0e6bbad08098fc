extension Schema {
  /// The definitions that references name.
  var definitions: [(name: String, schema: Schema)] {
    for case .definitions(let definitions) in rules { return definitions }
    return []
  }

  /// What a reference in this schema, the whole one, leads to.
  func definition(_ name: String?) -> Schema? {
    guard let name else { return self }
    return definitions.first { $0.name == name }?.schema
  }

  /// Sees to it that each reference leads somewhere, and that following references alone comes to an end.
  func checkReferences() throws(SchemaError) {
    try checkTargets(of: self)
    var finished: [String?: Bool] = [:]
    for name in [nil] + definitions.map({ Optional($0.name) }) { try follow(name, &finished) }
  }

  private func checkTargets(of schema: Schema) throws(SchemaError) {
    for rule in schema.rules {
      if case .reference(let name) = rule, definition(name) == nil {
        throw SchemaError(pointer: .root, message: "there is no \"\(name ?? "#")\" in $defs")
      }
      for schema in rule.schemas { try checkTargets(of: schema) }
    }
  }

  /// Follows a reference through what applies to the same value; `finished` is false for those on the way.
  private func follow(_ name: String?, _ finished: inout [String?: Bool]) throws(SchemaError) {
    if let isFinished = finished[name] {
      guard isFinished else {
        throw SchemaError(pointer: .root, message: "the $ref to \"\(name ?? "#")\" leads back to itself")
      }
      return
    }
    finished[name] = false
    for next in definition(name)?.immediateReferences ?? [] { try follow(next, &finished) }
    finished[name] = true
  }

  /// The references that apply to a value as a whole.
  private var immediateReferences: [String?] {
    var names: [String?] = []
    for rule in rules {
      switch rule {
      case .reference(let name): names.append(name)
      case .anyOf(let schemas), .oneOf(let schemas), .allOf(let schemas):
        for schema in schemas { names += schema.immediateReferences }
      default: continue
      }
    }
    return names
  }
}

extension SchemaRule {
  /// The schemas inside the rule.
  var schemas: [Schema] {
    switch self {
    case .anyOf(let schemas), .oneOf(let schemas), .allOf(let schemas): schemas
    case .properties(let schemas), .definitions(let schemas): schemas.map(\.schema)
    case .items(let schema), .additionalProperties(let schema): [schema]
    default: []
    }
  }
}
