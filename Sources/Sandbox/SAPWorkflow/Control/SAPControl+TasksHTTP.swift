internal import HTTPServer
internal import JSON

extension SAPControl {
  func tasksResult(of request: ServerRequest, _ path: [String]) throws(ControlError) -> JSONValue {
    switch (request.method, path.count, path.last ?? "") {
    case ("GET", 1, _): return JSONValue(array: tasks.map(json))
    case ("POST", 1, _):
      let body = try ControlBody(of: request, taking: ["count"] + SAPTaskDraft.members)
      let ids = try createTasks(try SAPTaskDraft(body), count: try body.int("count") ?? 1)
      return ["ids": JSONValue(array: ids.map { JSONValue($0) })]
    case ("GET", 2, _): break
    case ("PATCH", 2, _): try changeTask(path[1], try SAPTaskEdit(request))
    case ("DELETE", 2, _):
      try deleteTask(path[1])
      return .emptyObject
    case ("POST", 3, "complete"):
      let body = try ControlBody(of: request, taking: ["by", "decision", "context"])
      try completeElsewhere(
        path[1], by: try body.need("by", try body.string("by")), decision: try body.string("decision"),
        context: try body.member("context"))
    case ("POST", 3, "cancel"): try cancelTask(path[1])
    default: throw Self.unknown(request)
    }
    guard let task = task(path[1]) else { throw .notFound("There is no task \(path[1]).") }
    return json(task)
  }

  /// As the service shows it, and what it does not show.
  private func json(_ task: SAPTask) -> JSONValue {
    task.json(.null, index: 0, expandsAttributes: true).merging([
      "decision": task.decision.map { .init($0) } ?? .null, "completions": .init(completions(of: task.id)),
      "context": context(ofTask: task.id) ?? .null,
    ])
  }
}

extension SAPTaskDraft {
  static let members = [
    "workflowDefinitionId", "activityId", "workflowInstanceId", "subject", "description", "priority", "createdBy",
    "createdAt", "spacing", "dueDate", "recipientUsers", "recipientGroups", "attributes", "context",
  ]

  fileprivate init(_ body: ControlBody) throws(ControlError) {
    workflowDefinitionID = try body.string("workflowDefinitionId") ?? workflowDefinitionID
    activityID = try body.string("activityId") ?? activityID
    workflowInstanceID = try body.string("workflowInstanceId")
    subject = try body.string("subject")
    description = try body.string("description")
    priority = try body.choice("priority")
    createdBy = try body.string("createdBy")
    createdAt = try body.time("createdAt")
    spacing = try body.duration("spacing") ?? spacing
    dueDate = try body.time("dueDate")
    recipientUsers = try body.strings("recipientUsers")
    recipientGroups = try body.strings("recipientGroups")
    attributes = try body.attributes("attributes")
    context = try body.member("context") ?? context
  }
}

extension SAPTaskEdit {
  fileprivate init(_ request: ServerRequest) throws(ControlError) {
    let body = try ControlBody(
      of: request,
      taking: [
        "subject", "description", "priority", "dueDate", "recipientUsers", "recipientGroups", "processor", "context",
      ])
    subject = try body.string("subject")
    description = try body.string("description")
    priority = try body.choice("priority")
    dueDate = try body.time("dueDate")
    recipientUsers = try body.strings("recipientUsers")
    recipientGroups = try body.strings("recipientGroups")
    processor = try body.string("processor")
    context = try body.member("context")
  }
}

extension ControlBody {
  /// An array of `{"id", "label", "value"}`.
  func attributes(_ name: String) throws(ControlError) -> [SAPTask.Attribute]? {
    guard let array = try array(name) else { return nil }
    var attributes: [SAPTask.Attribute] = []
    for element in array {
      let body = try ControlBody(element, taking: ["id", "label", "value"])
      let id = try body.need("id", try body.string("id"))
      attributes.append(
        .init(id: id, label: try body.string("label") ?? id, value: try body.string("value") ?? ""))
    }
    return attributes
  }
}
