internal import HTTPServer
internal import Timing

extension SAPState {
  mutating func dispatch(
    _ request: ServerRequest, _ path: [String], by caller: SAPCaller, at now: Timestamp
  ) -> ServerResponse {
    do throws(SAPError) {
      if let limit = switches.rateLimit, !rateLimit.allows(limit, at: now) { throw .rateLimit }
      guard let route = SAPRoute(path, in: environment) else { throw .page(404, "Not Found") }
      guard route.methods.contains(request.method) else { throw .method(allowed: route.methods) }
      return try handle(route, SAPCall(request: request, caller: caller, now: now))
    } catch {
      return response(to: error)
    }
  }

  private mutating func handle(_ route: SAPRoute, _ call: SAPCall) throws(SAPError) -> ServerResponse {
    switch (call.request.method, route) {
    case (_, .xsrfToken): Self.xsrfTokenAnswer
    case (_, .workflowDefinitions): try listDefinitions(call)
    case (_, .workflowDefinition(let id)): try undeploy(id, call)
    case ("GET", .workflowInstances): try listInstances(call)
    case ("POST", .workflowInstances): try startInstance(call)
    case (_, .workflowInstances): try deleteInstances(call)
    case ("GET", .workflowInstance(let id)): try getInstance(id, call)
    case (_, .workflowInstance(let id)): try patchInstance(id, call)
    case ("GET", .instanceContext(let id)): try getInstanceContext(id, call)
    case (let method, .instanceContext(let id)): try changeInstanceContext(id, replacing: method == "PUT", call)
    case (_, .instanceAttributes(let id)): try getInstanceAttributes(id, call)
    case (_, .instanceErrorMessages(let id)): try getErrorMessages(id, call)
    case (_, .instanceLogs(let id)): try getLogs(id, call)
    case (_, .taskInstances): try listTasks(call)
    case ("GET", .taskInstance(let id)): try getTask(id, call)
    case (_, .taskInstance(let id)): try patchTask(id, call)
    case (_, .taskContext(let id)): try getTaskContext(id, call)
    case (_, .taskAttributes(let id)): try getTaskAttributes(id, call)
    case (_, .taskDefinitions): try listTaskDefinitions(call)
    case (_, .job(let id)): try getJob(id, call)
    case (_, .messages): try sendMessage(call)
    }
  }

  /// Empty; the token is added to any GET that asks for it.
  private static let xsrfTokenAnswer = ServerResponse(
    status: 200, headers: ["Cache-Control": "private", "Expires": "Thu, 01 Jan 1970 00:00:00 UTC"])
}
