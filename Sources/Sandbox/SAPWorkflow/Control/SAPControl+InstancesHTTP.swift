internal import HTTPServer
internal import JSON

extension SAPControl {
  func instancesResult(of request: ServerRequest, _ path: [String]) throws(ControlError) -> JSONValue {
    switch (request.method, path.count, path.last ?? "") {
    case ("GET", 1, _): return JSONValue(array: instances.map(json))
    case ("POST", 1, _):
      let body = try ControlBody(of: request, taking: ["definitionId", "context", "by", "parentInstanceId"])
      let id = try startInstance(
        of: try body.string("definitionId") ?? SAPDefinition.purchase.id,
        context: try body.member("context") ?? .emptyObject, by: try body.string("by") ?? "P1000009",
        parent: try body.string("parentInstanceId"))
      return ["id": .init(id)]
    case ("GET", 2, _): break
    case ("POST", 3, "fail"):
      let body = try ControlBody(of: request, taking: ["message"])
      try failInstance(path[1], message: try body.string("message") ?? "The service task failed.")
    default: throw Self.unknown(request)
    }
    guard let instance = instance(path[1]) else { throw .notFound("There is no instance \(path[1]).") }
    return json(instance)
  }

  /// As the service shows it, and what it does not show.
  private func json(_ instance: SAPInstance) -> JSONValue {
    instance.json(.null, index: 0, .sbpa).merging([
      "context": instance.context, "awaitedMessage": instance.awaitedMessage.map { .init($0) } ?? .null,
    ])
  }
}
