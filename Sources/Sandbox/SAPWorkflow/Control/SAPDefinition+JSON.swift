internal import HTTPServer
internal import JSON

extension SAPDefinition {
  init(id: String, _ request: ServerRequest) throws(ControlError) {
    let body = try ControlBody(of: request, taking: ["name", "version", "businessKey", "inputs", "steps"])
    self.init(
      id: id, name: try body.string("name") ?? id, version: try body.string("version") ?? "1",
      businessKey: try body.string("businessKey"), inputs: try Self.inputs(try body.member("inputs")),
      steps: try Self.steps(try body.need("steps", try body.array("steps"))))
  }

  private static func inputs(_ object: JSONValue?) throws(ControlError) -> [String: SAPContextType]? {
    guard let object, let members = object.object else { return nil }
    let body = try ControlBody(object, taking: members.keys)
    var inputs: [String: SAPContextType] = [:]
    for name in members.keys { inputs[name] = try body.choice(name) }
    return inputs
  }

  private static func steps(_ array: [JSONValue]) throws(ControlError) -> [Step] {
    var steps: [Step] = []
    for element in array {
      if element["message"] != nil {
        let body = try ControlBody(element, taking: ["message"])
        steps.append(.message(try body.need("message", try body.string("message"))))
      } else {
        steps.append(.userTask(try SAPUserTask(element)))
      }
    }
    return steps
  }
}

extension SAPUserTask {
  fileprivate init(_ object: JSONValue) throws(ControlError) {
    let body = try ControlBody(
      object,
      taking: [
        "id", "name", "subject", "description", "priority", "recipientUsers", "recipientGroups", "outputs", "inputs",
        "dueIn", "attributes",
      ])
    let id = try body.need("id", try body.string("id"))
    self.init(
      id: id, name: try body.string("name"), subject: try body.string("subject") ?? id,
      description: try body.string("description"), priority: try body.choice("priority") ?? .medium,
      recipientUsers: try body.strings("recipientUsers") ?? [],
      recipientGroups: try body.strings("recipientGroups") ?? [], outputs: try body.strings("outputs"),
      inputs: try body.strings("inputs"), dueIn: try body.duration("dueIn"),
      attributes: try body.attributes("attributes") ?? [])
  }
}
