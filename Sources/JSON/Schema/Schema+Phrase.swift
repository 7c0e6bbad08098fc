extension Schema {
  /// What the schema takes, as a noun phrase: `an integer from 1 to 9`, `"low" or "high"`.
  func phrase(in root: Schema) -> String {
    if isSecret {
      return
        "a string, {\"env\": NAME}, {\"file\": PATH}, {\"command\": [PROGRAM, ARGUMENT…]} or {\"credential\": NAME}"
    }
    for rule in rules {
      switch rule {
      case .never: return "nothing"
      case .values(let values): return Self.alternatives(values.map(\.shortText))
      case .constant(let value): return value.shortText
      case .duration: return "a duration such as \"30s\", in ms, s, m, h or d"
      case .anyOf(let schemas), .oneOf(let schemas):
        return Self.alternatives(schemas.map { $0.phrase(in: root) })
      case .reference(let name): return root.definition(name)?.phrase(in: root) ?? "any value"
      default: continue
      }
    }
    if types.isEmpty {
      for case .allOf(let schemas) in rules where !schemas.isEmpty { return schemas[0].phrase(in: root) }
      return "any value"
    }
    return Self.alternatives(types.map(phrase))
  }

  static func alternatives(_ phrases: [String]) -> String {
    var unique: [String] = []
    for phrase in phrases where !unique.contains(phrase) { unique.append(phrase) }
    guard unique.count > 1, let last = unique.popLast() else { return unique.first ?? "nothing" }
    return unique.joined(separator: ", ") + " or " + last
  }

  private func phrase(_ type: SchemaType) -> String {
    switch type {
    case .null: "null"
    case .boolean: "true or false"
    case .integer: "an integer" + bounds
    case .number: "a number" + bounds
    case .string: "a string" + lengths("character")
    case .array: "an array" + lengths("element")
    case .object: "an object"
    }
  }

  private var bounds: String {
    var lower: String?
    var upper: String?
    for rule in rules {
      switch rule {
      case .minimum(let bound): lower = "from \(bound)"
      case .exclusiveMinimum(let bound): lower = "above \(bound)"
      case .maximum(let bound): upper = "to \(bound)"
      case .exclusiveMaximum(let bound): upper = "below \(bound)"
      default: continue
      }
    }
    if lower == nil, let bound = upper, bound.hasPrefix("to") { upper = "up " + bound }
    return [lower, upper].compactMap { $0 }.map { " " + $0 }.joined()
  }

  /// How long a string or an array may be.
  private func lengths(_ unit: String) -> String {
    var low: Int?
    var high: Int?
    for rule in rules {
      switch rule {
      case .minLength(let count) where unit == "character", .minItems(let count) where unit == "element": low = count
      case .maxLength(let count) where unit == "character", .maxItems(let count) where unit == "element": high = count
      default: continue
      }
    }
    let plural = high ?? low == 1 ? unit : unit + "s"
    return switch (low, high) {
    case (nil, nil): ""
    case (let low?, let high?): low == high ? " of \(low) \(plural)" : " of \(low) to \(high) \(plural)"
    case (let low?, nil): " of at least \(low) \(plural)"
    case (nil, let high?): " of at most \(high) \(plural)"
    }
  }
}

extension JSONValue {
  /// The value in a few characters, for messages: long strings are cut, arrays and objects only counted.
  var shortText: String {
    switch kind {
    case .null, .bool, .integer, .real: return description
    case .array: return array?.isEmpty == true ? "an empty array" : "an array of \(array?.count ?? 0)"
    case .object: return "an object"
    case .string:
      let characters = string ?? ""
      return JSONValue(characters.count > 40 ? characters.prefix(39) + "…" : characters).description
    }
  }
}
