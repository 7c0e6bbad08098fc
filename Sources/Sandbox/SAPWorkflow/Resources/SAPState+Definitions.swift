internal import HTTPServer
internal import JSON

/// Workflow definitions, the tasks in them, and the jobs that remove them.
extension SAPState {
  func listDefinitions(_ call: SAPCall) throws(SAPError) -> ServerResponse {
    try call.require(.definitionGet)
    let objects = definitions.rows.enumerated().map { index, deployment in
      var object = SAPObjectWriter(switches.nullStyle, index: index)
      object.add("id", deployment.id)
      object.add("version", deployment.definition.version)
      object.add("name", deployment.definition.name)
      object.addOptional("createdBy", nil as String?)
      object.add("createdAt", deployment.createdAt)
      object.add("jobs", JSONValue.emptyArray)
      return object.finish()
    }
    return .json(JSONValue(array: objects))
  }

  /// Newest first.
  func listTaskDefinitions(_ call: SAPCall) throws(SAPError) -> ServerResponse {
    try call.require(.taskDefinitionGet)
    let newest = definitions.rows.reversed().sorted { $0.createdAt > $1.createdAt }
    let pairs = newest.flatMap { deployment in deployment.definition.userTasks.map { (deployment, $0) } }
    let objects = pairs.enumerated().map { index, pair in
      var object = SAPObjectWriter(switches.nullStyle, index: index)
      object.add("id", "\(pair.1.id)@\(pair.0.id)")
      object.add("name", pair.1.name)
      object.add("createdAt", pair.0.createdAt)
      return object.finish()
    }
    return .json(JSONValue(array: objects))
  }

  mutating func undeploy(_ id: String, _ call: SAPCall) throws(SAPError) -> ServerResponse {
    guard definitions[id] != nil else { throw .notFound("definition", id) }
    try call.require(.definitionUndeploy)
    let cascades = call.request.query.contains { $0.name == "cascade" && $0.value == "true" }
    let isRunning = instances.rows.contains { $0.definitionID == id && !$0.status.isFinal }
    guard cascades || !isRunning else {
      throw .envelope(412, code: "instances.running", message: "Instances of the workflow are running.")
    }
    return startJob(call) { .undeploy(definition: id, job: $0) }
  }

  /// A job that is done is gone: 404 is how its success shows.
  func getJob(_ id: String, _ call: SAPCall) throws(SAPError) -> ServerResponse {
    guard call.caller.may(.definitionUndeploy) || call.caller.may(.instancesUpdate) else { throw .privileges }
    guard jobs.contains(id) else { throw .notFound("job", id) }
    return .json(["status": "RUNNING"])
  }

  mutating func startJob(_ call: SAPCall, _ effect: (String) -> SAPEffect) -> ServerResponse {
    let id = ids.next(at: call.now)
    jobs.insert(id)
    later(effect(id), at: call.now)
    let base = environment.basePaths[0].joined(separator: "/")
    return ServerResponse(status: 202, headers: ["Location": "/\(base)/v1/jobs/\(id)"])
  }
}
