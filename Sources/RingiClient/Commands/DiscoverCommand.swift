internal import JSON

extension Command {
  static let discover = Command(
    name: "discover", operands: "[METHOD]", operandCount: 0...1,
    summary: "Shows the methods that can be called, or what one of them takes",
    examples: [
      ("ringi discover", "all of them"),
      ("ringi discover tasks.approve", "its parameters"),
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
      guard !invocation.wantsJSON else { return invocation.output.json(document) }
      let columns = [Table.Column(title: "METHOD"), Table.Column(title: "SUMMARY", minimum: 16)]
      let rows = methods.map { [Styled(Fields.plainText($0["name"]), .cyan), Styled($0["summary"]?.string ?? "")] }
      return invocation.output.table(Table(columns: columns, rows: rows))
    }
    guard let method = methods.first(where: { $0["name"]?.string == name }) else {
      throw Failure(
        .notFound, "There is no method \(name) on this socket.", advice: ["`ringi discover` lists those there are."])
    }
    guard !invocation.wantsJSON else { return invocation.output.json(method) }
    show(method, name, to: invocation.output)
  }

  private static func show(_ method: JSONValue, _ name: String, to output: Output) {
    output.line(Styled(name, .cyan))
    if let summary = method["summary"]?.string { output.line("  ", Styled(summary)) }
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

  /// "string", "low | medium | high", or the schema itself.
  private static func type(_ schema: JSONValue?) -> String {
    if let choices = schema?["enum"]?.array { return choices.map(Fields.plainText).joined(separator: " | ") }
    if let types = schema?["type"]?.array { return types.map(Fields.plainText).joined(separator: " | ") }
    return schema?["type"]?.string ?? schema.map(Fields.plainText) ?? "any"
  }
}
