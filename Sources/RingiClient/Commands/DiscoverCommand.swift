internal import JSON

extension Command {
  static let discover = Command(
    name: "discover", operands: "[METHOD | PREFIX]", operandCount: 0...1,
    summary: "Shows the methods that can be called, or what one of them takes",
    examples: [
      ("ringi discover", "all of them"),
      ("ringi discover tasks.approve", "its parameters"),
      ("ringi discover tasks", "those that begin so"),
      ("ringi discover --json > openrpc.json", "the whole, as an OpenRPC document"),
    ],
    run: Discovery.run)
}

/// The OpenRPC document of the agent for a person.
private enum Discovery {
  static func run(_ invocation: Invocation) throws(Failure) {
    let document = try invocation.call("rpc.discover")
    let methods = Listing.rows(document, "methods")
    guard let name = invocation.arguments.operands.first else {
      return list(methods, of: document, invocation)
    }
    guard let method = methods.first(where: { $0["name"]?.string == name }) else {
      let begun = methods.filter { $0["name"]?.string?.hasPrefix(name) == true }
      guard begun.isEmpty else { return list(begun, of: document, invocation) }
      throw missing(name, among: methods)
    }
    guard !invocation.wantsJSON else { return invocation.output.json(method) }
    show(method, name, to: invocation.output)
  }

  private static func list(_ methods: [JSONValue], of document: JSONValue, _ invocation: Invocation) {
    guard !invocation.wantsJSON else {
      return invocation.output.json(document.setting("methods", to: JSONValue(array: methods)))
    }
    let columns = [Table.Column(title: "METHOD"), Table.Column(title: "SUMMARY", minimum: 16)]
    let rows = methods.map { [Styled(Fields.plainText($0["name"]), .cyan), Styled($0["summary"]?.string ?? "")] }
    invocation.output.table(Table(columns: columns, rows: rows))
  }

  private static func missing(_ name: String, among methods: [JSONValue]) -> Failure {
    let nearest = Suggestion.nearest(to: name, among: methods.compactMap { $0["name"]?.string })
    return Failure(
      .notFound, "There is no method \(name) on this socket.\(nearest.map { " Did you mean \($0)?" } ?? "")",
      advice: ["`ringi discover` lists those there are."])
  }

  private static func show(_ method: JSONValue, _ name: String, to output: Output) {
    output.line(Styled(name, .cyan))
    if let summary = method["summary"]?.string { output.line("  ", hanging: Styled(summary)) }
    let params = Listing.rows(method["params"] ?? .null, "")
    output.line()
    guard !params.isEmpty else { return output.line("It takes no parameters.") }
    let columns = [
      Table.Column(title: "PARAMETER"), Table.Column(title: "TYPE", minimum: 8),
      Table.Column(title: "REQUIRED", leaves: 1),
      Table.Column(title: "DESCRIPTION", minimum: 16, leaves: 2),
    ]
    let rows = params.map { param in
      [
        Styled(Fields.plainText(param["name"]), .cyan), Styled(type(param["schema"])),
        Styled(param["required"]?.bool == true ? "yes" : "no"),
        Styled(
          param["description"]?.string ?? param["summary"]?.string ?? param["schema"]?["description"]?.string ?? ""),
      ]
    }
    output.table(Table(columns: columns, rows: rows))
  }

  /// "string", "low | medium | high", "integer 1…100", or the schema itself.
  private static func type(_ schema: JSONValue?) -> String {
    if let choices = schema?["enum"]?.array { return choices.map(Fields.plainText).joined(separator: " | ") }
    if let types = schema?["type"]?.array { return types.map(Fields.plainText).joined(separator: " | ") }
    guard let type = schema?["type"]?.string else { return schema.map(Fields.plainText) ?? "any" }
    return type + bounds(schema)
  }

  /// " 1…100", " ≥ 0", " > 0, ≤ 1".
  private static func bounds(_ schema: JSONValue?) -> String {
    if let least = schema?["minimum"], let most = schema?["maximum"] { return " \(least)…\(most)" }
    let signs = [("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"), ("exclusiveMaximum", "<")]
    let bounds = signs.compactMap { key, sign in schema?[key].map { "\(sign) \($0)" } }
    return bounds.isEmpty ? "" : " " + bounds.joined(separator: ", ")
  }
}
