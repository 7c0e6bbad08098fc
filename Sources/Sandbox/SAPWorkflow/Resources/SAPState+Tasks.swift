internal import HTTPServer
internal import JSON

/// Reading task instances.
extension SAPState {
  func listTasks(_ call: SAPCall) throws(SAPError) -> ServerResponse {
    // The list is for administrators alone; a recipient reads single tasks.
    try call.require(.taskGet)
    let page = try SAPListing.tasks.page(of: tasks.rows, call.request.query)
    return list(page) { task, index in
      task.json(switches.nullStyle, index: index, expandsAttributes: page.query.expandsAttributes)
    }
  }

  mutating func getTask(_ id: String, _ call: SAPCall) throws(SAPError) -> ServerResponse {
    let task = try visibleTask(id, call)
    let expands = call.request.query.contains { $0.name == "$expand" && $0.value == "attributes" }
    return .json(task.json(switches.nullStyle, index: nextSingle(), isAlone: true, expandsAttributes: expands))
  }

  /// The instance's context, or on SBPA the part of it that the task was given.
  func getTaskContext(_ id: String, _ call: SAPCall) throws(SAPError) -> ServerResponse {
    let task = try visibleTask(id, call)
    let context = instances[task.workflowInstanceID]?.context ?? .emptyObject
    guard environment == .sbpa, let inputs = task.inputs else { return .json(context) }
    let members = inputs.compactMap { name in context[name].map { (name, $0) } }
    return .json(JSONValue(object: members))
  }

  func getTaskAttributes(_ id: String, _ call: SAPCall) throws(SAPError) -> ServerResponse {
    .json(SAPTask.json(try visibleTask(id, call).attributes))
  }

  private func visibleTask(_ id: String, _ call: SAPCall) throws(SAPError) -> SAPTask {
    guard let task = tasks[id] else { throw .notFound("task", id) }
    guard call.caller.may(.taskGet) || task.isFor(call.caller) else { throw .privileges }
    return task
  }

  /// A bare array; the count of all pages goes into a header, if it was asked for.
  func list<Row>(_ page: SAPListing<Row>.Page, _ json: (Row, Int) -> JSONValue) -> ServerResponse {
    let objects = page.rows.enumerated().map { json($0.element, $0.offset) }
    var response = ServerResponse.json(JSONValue(array: objects))
    if page.query.wantsCount { response.headers.add("X-Total-Count", String(page.total)) }
    return response
  }

  mutating func nextSingle() -> Int {
    singleAnswers += 1
    return singleAnswers
  }
}
