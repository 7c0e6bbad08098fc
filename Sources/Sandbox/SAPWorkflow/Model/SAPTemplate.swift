internal import JSON

/// Fills `${context.a.b}` in a text from a workflow's context, as far as it is there.
enum SAPTemplate {
  static func fill(_ template: String, from context: JSONValue) -> String {
    var result = ""
    var rest = template[...]
    while let start = rest.firstRange(of: "${context."), let end = rest[start.upperBound...].firstIndex(of: "}") {
      result += rest[..<start.lowerBound]
      result += value(at: rest[start.upperBound..<end], in: context)
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  private static func value(at path: Substring, in context: JSONValue) -> String {
    let value = path.split(separator: ".").reduce(Optional(context)) { $0?[String($1)] }
    return value.map { $0.string ?? $0.description } ?? ""
  }
}
