/// One check of one value; goes through the whole value, so that all violations are found at once, up to a bound.
struct SchemaValidator {
  /// Nobody mends more at once, and a value made to be wrong is not to cost more.
  static let most = 100

  private let root: Schema
  private var path: [String] = []
  private(set) var violations: [Schema.Violation] = []

  init(root: Schema) { self.root = root }

  mutating func check(_ value: JSONValue, _ schema: Schema) {
    guard violations.count < Self.most else { return }
    if schema.isSecret {
      checkSecret(value, schema)
      return
    }
    guard schema.isWhole(value) else {
      violations.append(
        Schema.Violation(at: path, "takes \(schema.phrase(in: root)), got \(found(value, schema))"))
      return
    }
    for rule in schema.rules {
      switch rule {
      case .items(let items): checkElements(value, items)
      case .properties(let properties): checkProperties(value, properties)
      case .required(let names): checkRequired(value, names, schema)
      case .additionalProperties(let others): checkOthers(value, others, schema)
      case .anyOf(let choices): checkChoices(value, choices, schema, isExclusive: false)
      case .oneOf(let choices): checkChoices(value, choices, schema, isExclusive: true)
      case .allOf(let schemas):
        for schema in schemas { check(value, schema) }
      case .reference(let name):
        if let target = root.definition(name) { check(value, target) }
      default: continue
      }
    }
  }

  private mutating func check(_ value: JSONValue, _ schema: Schema, at token: String) {
    path.append(token)
    check(value, schema)
    path.removeLast()
  }

  private mutating func checkElements(_ value: JSONValue, _ items: Schema) {
    guard let array = value.array else { return }
    for (index, element) in array.enumerated() {
      guard violations.count < Self.most else { return }
      check(element, items, at: String(index))
    }
  }

  private mutating func checkProperties(_ value: JSONValue, _ properties: [(name: String, schema: Schema)]) {
    guard let object = value.object else { return }
    for (name, schema) in properties {
      if let member = object[name] { check(member, schema, at: name) }
    }
  }

  private mutating func checkRequired(_ value: JSONValue, _ names: [String], _ schema: Schema) {
    guard let object = value.object else { return }
    for name in names where object[name] == nil {
      let takes = schema.property(name).map { "; it takes \($0.phrase(in: root))" } ?? ""
      violations.append(Schema.Violation(at: path, "the key \"\(name)\" is missing\(takes)"))
    }
  }

  private mutating func checkOthers(_ value: JSONValue, _ others: Schema, _ schema: Schema) {
    guard let object = value.object, !others.rules.isEmpty else { return }
    let properties = schema.properties
    // Mostly all members are known; then no key needs to be read.
    let known = properties.reduce(0) { $0 + (object[$1.name] == nil ? 0 : 1) }
    guard known < object.count else { return }
    for (key, member) in object where !properties.contains(where: { $0.name == key }) {
      guard violations.count < Self.most else { return }
      if case .never? = others.rules.first {
        refuseKey(key, properties.map(\.name))
      } else {
        check(member, others, at: key)
      }
    }
  }

  private mutating func refuseKey(_ key: String, _ known: [String]) {
    let hint =
      if key.utf8.count < 256, let nearest = Suggestion.nearest(to: key, among: known) {
        "did you mean \"\(nearest)\"?"
      } else if known.isEmpty {
        "none is taken here"
      } else {
        "known are " + known.joined(separator: ", ")
      }
    let name = JSONValue(key).shortText
    violations.append(
      Schema.Violation(at: path + [String(key.prefix(256))], concernsKey: true, "unknown key \(name); \(hint)"))
  }

  /// Takes the value if a choice does; else complains as the one choice would that the value seems to be meant for.
  private mutating func checkChoices(
    _ value: JSONValue, _ choices: [Schema], _ schema: Schema, isExclusive: Bool
  ) {
    let complaints = choices.map { choice in
      var validator = SchemaValidator(root: root)
      validator.path = path
      validator.check(value, choice)
      return validator.violations
    }
    let fitting = complaints.count { $0.isEmpty }
    if fitting == 1 || fitting > 1 && !isExclusive { return }
    if fitting > 1 {
      violations.append(Schema.Violation(at: path, "fits more than one of \(schema.phrase(in: root))"))
      return
    }
    let meant = zip(choices, complaints).filter { $0.0.isOfType(value, in: root) }.map(\.1)
    let isSimple = value.array == nil && value.object == nil
    if !isSimple, let nearest = meant.min(by: { $0.count < $1.count }) {
      violations += nearest
    } else {
      violations.append(
        Schema.Violation(at: path, "takes \(schema.phrase(in: root)), got \(found(value, schema))"))
    }
  }

  private mutating func checkSecret(_ value: JSONValue, _ schema: Schema) {
    if value.string != nil || value.isNull && schema.types.contains(.null) { return }
    if let object = value.object, object.count == 1 {
      for key in ["env", "file", "credential"] where object[key]?.string != nil { return }
      if let command = object["command"]?.array, !command.isEmpty, command.allSatisfy({ $0.string != nil }) { return }
    }
    violations.append(
      Schema.Violation(at: path, "takes \(schema.phrase(in: root)), got \(value.kind.described)"))
  }

  /// What a message may say of a value: only its kind when a secret may be where the value is.
  private func found(_ value: JSONValue, _ schema: Schema) -> String {
    schema.mayHoldSecret(in: root, seen: []) ? value.kind.described : value.shortText
  }
}

extension Schema {
  /// Finds all that a value has against the schema; nothing when it fits.
  public func validate(_ value: JSONValue) -> [Violation] {
    var validator = SchemaValidator(root: self)
    validator.check(value, self)
    return validator.violations
  }

  /// Whether a value breaks none of the rules that concern the value as a whole, not its parts.
  fileprivate func isWhole(_ value: JSONValue) -> Bool { rules.allSatisfy { $0.isWhole(value) } }

  /// Whether a value could be meant for this schema, judged by its type.
  fileprivate func isOfType(_ value: JSONValue, in root: Schema) -> Bool {
    for case .reference(let name) in rules {
      guard root.definition(name)?.isOfType(value, in: root) ?? true else { return false }
    }
    if isSecret { return false }
    return types.isEmpty || types.contains { $0.includes(value) }
  }

  fileprivate func mayHoldSecret(in root: Schema, seen: Set<String?>) -> Bool {
    isSecret
      || rules.contains { rule in
        if case .reference(let name) = rule {
          !seen.contains(name) && root.definition(name)?.mayHoldSecret(in: root, seen: seen.union([name])) == true
        } else if case .definitions = rule {
          false
        } else {
          rule.schemas.contains { $0.mayHoldSecret(in: root, seen: seen) }
        }
      }
  }
}
