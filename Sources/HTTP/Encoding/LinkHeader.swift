/// The `Link` header (RFC 8288 §3): where related answers are.
public enum LinkHeader {
  /// The first target with a relation, as it is written: absolute, or relative to the answer's URL.
  ///
  /// - Parameters:
  ///   - relation: The relation type in lower case, such as `next`.
  ///   - values: The header's values.
  /// - Returns: The target; nil when no link has the relation.
  public static func target(of relation: String, in values: [String]) -> String? {
    for value in values {
      var rest = value[...]
      while let link = next(in: &rest) {
        let types = link.relation.lowercased().split(separator: " ")
        if types.contains(Substring(relation)) { return link.target }
      }
    }
    return nil
  }

  /// Takes one link off the front, and what is none before it; nil at the end.
  private static func next(in rest: inout Substring) -> (target: String, relation: String)? {
    while let character = rest.first {
      if character == "<", let link = link(in: &rest) { return link }
      skipElement(in: &rest)
    }
    return nil
  }

  /// Takes a target and its parameters off the front; nil, and nothing, where the target has no end.
  private static func link(in rest: inout Substring) -> (target: String, relation: String)? {
    let target = rest.dropFirst().prefix { $0 != ">" && $0 != "<" }
    guard rest[target.endIndex...].first == ">" else { return nil }
    rest = rest[target.endIndex...].dropFirst()
    var relation: String?
    while let parameter = parameter(in: &rest) {
      // Of several the first counts (RFC 8288 §3.3).
      if parameter.name == "rel", relation == nil { relation = parameter.value }
    }
    return (String(target), relation ?? "")
  }

  /// Drops everything up to the comma after it, and blanks behind that.
  private static func skipElement(in rest: inout Substring) {
    while let character = rest.first, character != "," {
      if character == "\"" { _ = quoted(in: &rest) } else { rest = rest.dropFirst() }
    }
    rest = rest.drop { $0 == "," || $0 == " " || $0 == "\t" }
  }

  /// Takes `; name=value` off the front; a quoted value may hold commas and semicolons.
  private static func parameter(in rest: inout Substring) -> (name: String, value: String)? {
    rest = rest.drop { $0 == " " || $0 == "\t" }
    guard rest.first == ";" else { return nil }
    rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
    let name = rest.prefix { $0 != "=" && $0 != ";" && $0 != "," && $0 != " " }
    rest = rest[name.endIndex...].drop { $0 == " " || $0 == "\t" }
    guard rest.first == "=" else { return (name.lowercased(), "") }
    rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
    guard rest.first == "\"" else {
      let value = rest.prefix { $0 != ";" && $0 != "," && $0 != " " }
      rest = rest[value.endIndex...]
      return (name.lowercased(), String(value))
    }
    return (name.lowercased(), quoted(in: &rest))
  }

  private static func quoted(in rest: inout Substring) -> String {
    rest = rest.dropFirst()
    var value = ""
    while let character = rest.popFirst(), character != "\"" {
      value.append(character == "\\" ? rest.popFirst() ?? "\\" : character)
    }
    return value
  }
}
