/// An encoded query: groups of clauses, and an order.
struct ServiceNowQueryText {
  struct Clause {
    let field: String
    let operation: String
    let value: String
  }

  /// Of each group's elements all must hold; of an element's clauses one; of the groups one.
  private(set) var groups: [[[Clause]]] = [[]]
  private(set) var order: [(field: String, isDescending: Bool)] = []
  /// Whether something was dropped because it made no sense.
  private(set) var hasDropped = false

  /// Longer operators come before those that they begin with.
  private static let operations = [
    "NOT LIKE", "NOT IN", "STARTSWITH", "ENDSWITH", "ISNOTEMPTY", "ISEMPTY", "ANYTHING", "EMPTYSTRING", "LIKE", "IN",
    "!=", "<=", ">=", "=", "<", ">",
  ]

  /// Reads a query; what makes no sense is left out without a word, as the service does it.
  ///
  /// - Parameters:
  ///   - text: The query.
  ///   - isField: Whether the table has a field, dots allowed.
  init(_ text: String, isField: (String) -> Bool) {
    for part in text.split(separator: "^") {
      var part = part[...]
      if part.hasPrefix("ORDERBY") {
        addOrder(part.dropFirst("ORDERBY".count), isField)
        continue
      }
      if part.hasPrefix("NQ") {
        groups.append([])
        part = part.dropFirst(2)
      }
      let isAlternative = part.hasPrefix("OR")
      if isAlternative { part = part.dropFirst(2) }
      guard let clause = Self.clause(part), isField(clause.field) else {
        hasDropped = true
        continue
      }
      let group = groups.count - 1
      if isAlternative, !groups[group].isEmpty {
        groups[group][groups[group].count - 1].append(clause)
      } else {
        groups[group].append([clause])
      }
    }
  }

  private mutating func addOrder(_ text: Substring, _ isField: (String) -> Bool) {
    let isDescending = text.hasPrefix("DESC")
    let field = String(isDescending ? text.dropFirst(4) : text)
    if isField(field) { order.append((field, isDescending)) } else { hasDropped = true }
  }

  private static func clause(_ text: Substring) -> Clause? {
    let field = text.prefix { $0.isLowercase || $0.isNumber || $0 == "_" || $0 == "." }
    let rest = text[field.endIndex...]
    guard !field.isEmpty, let operation = operations.first(where: { rest.hasPrefix($0) }) else { return nil }
    return Clause(field: String(field), operation: operation, value: String(rest.dropFirst(operation.count)))
  }

  /// Whether a record fits.
  ///
  /// - Parameter value: Gives its value of a field.
  /// - Returns: Whether one of the groups holds.
  func fits(_ value: (String) -> String) -> Bool {
    groups.contains { group in
      group.allSatisfy { alternatives in alternatives.contains { Self.holds($0, value($0.field)) } }
    }
  }

  private static func holds(_ clause: Clause, _ value: String) -> Bool {
    let wanted = clause.value
    switch clause.operation {
    case "=": return value == wanted
    case "!=": return value != wanted
    case "<": return isBefore(value, wanted)
    case "<=": return !isBefore(wanted, value)
    case ">": return isBefore(wanted, value)
    case ">=": return !isBefore(value, wanted)
    case "LIKE": return value.contains(wanted)
    case "NOT LIKE": return !value.contains(wanted)
    case "STARTSWITH": return value.hasPrefix(wanted)
    case "ENDSWITH": return value.hasSuffix(wanted)
    case "IN": return wanted.split(separator: ",").contains(Substring(value))
    case "NOT IN": return !wanted.split(separator: ",").contains(Substring(value))
    case "ISEMPTY", "EMPTYSTRING": return value.isEmpty
    case "ISNOTEMPTY": return !value.isEmpty
    default: return true
    }
  }

  private static func isBefore(_ left: String, _ right: String) -> Bool {
    if let left = Int(left), let right = Int(right) { return left < right }
    return left < right
  }
}
