internal import JSON

/// What the agent answers a server of the Model Context Protocol that wants to ask somebody something, since nobody sits
/// before it; `elicitation` of plugins.d.
///
/// Source: <https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation>.
package struct MCPElicitation: Equatable, Sendable {
  package enum Refusal: String, Sendable, CaseIterable { case decline, cancel }

  /// Values by the names of the fields that they are for.
  private let answers: [String: JSONValue]
  /// The answer to what these don't fit.
  private let otherwise: Refusal

  static let schema = Schema.object([
    "answers": .map(
      "Values by the names of the fields that they are for.",
      of: .anyOf([.string(), .number(), .boolean(), .array(of: .string())])),
    "otherwise": .string(
      "The answer to what `answers` has no fitting values for.", enum: Refusal.allCases.map(\.rawValue)
    )
    .default(JSONValue(Refusal.decline.rawValue)),
  ]).described(
    "What a server of `protocol` `mcp` is answered that asks for input; without, it is told that nobody is there.")

  /// What the client declares that answers so: forms, and no pages to be visited.
  static let capability: JSONValue = ["form": [:]]

  init(_ value: JSONValue) {
    answers = Dictionary(value["answers"]?.object?.map { ($0.key, $0.value) } ?? []) { $1 }
    otherwise = value["otherwise"]?.string.flatMap(Refusal.init) ?? .decline
  }

  /// Whether a request is a form to be filled in; only such were offered.
  static func isForm(_ params: JSONValue) -> Bool { [nil, "form"].contains(params["mode"]) }

  /// Answers a request.
  ///
  /// - Parameter params: The params of `elicitation/create`.
  /// - Returns: Its result: the form with those of the answers that it has fields for, where it has some and takes them.
  func answer(_ params: JSONValue) -> JSONValue {
    guard Self.isForm(params), let form = params["requestedSchema"], let content = fill(form) else {
      return ["action": JSONValue(otherwise.rawValue)]
    }
    return ["action": "accept", "content": content]
  }

  private func fill(_ form: JSONValue) -> JSONValue? {
    let fields = form["properties"]?.object?.map(\.key) ?? []
    let content = JSONValue(object: fields.compactMap { field in answers[field].map { (field, $0) } })
    guard content.object?.isEmpty == false, let schema = try? Schema(json: form), schema.validate(content).isEmpty
    else {
      return nil
    }
    return content
  }
}
