internal import HTTPServer
internal import JSON

/// Starting workflow instances.
extension SAPState {
  mutating func startInstance(_ call: SAPCall) throws(SAPError) -> ServerResponse {
    let body = try call.object()
    let definitionID = try body.string("definitionId") ?? ""
    let context = try body.objectMember("context") ?? .emptyObject
    guard definitionID.utf16.count <= 64 else { throw .notJSON }
    try call.require(.instanceStart)
    guard let definition = definitions[definitionID]?.definition else { throw .notFound("definition", definitionID) }
    let problems = Self.problems(with: context, of: definition)
    guard problems.isEmpty else {
      throw .envelope(
        422, code: "instance.context.invalid", message: "The context does not fit the workflow.", details: problems)
    }
    let instance = start(definition, context: context, by: call.caller.name, at: call.now)
    let answer = instance.json(switches.nullStyle, index: nextSingle(), environment)
    later(.advance(instance.id), at: call.now)
    return .json(answer, status: 201)
  }

  /// Names are case-sensitive, and all that is declared may be left out.
  private static func problems(with context: JSONValue, of definition: SAPDefinition) -> [String] {
    guard let inputs = definition.inputs, let members = context.object else { return [] }
    return members.compactMap { name, value in
      guard let type = inputs[name] else { return "The workflow has no input '\(name)'." }
      return type.accepts(value) ? nil : "The input '\(name)' is not of the type \(type.rawValue)."
    }
  }
}
