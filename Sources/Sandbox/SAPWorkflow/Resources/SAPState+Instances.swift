internal import HTTPServer
internal import JSON

/// Reading workflow instances, and their contexts.
extension SAPState {
  func listInstances(_ call: SAPCall) throws(SAPError) -> ServerResponse {
    try call.require(.instanceGet)
    let page = try SAPListing.instances.page(of: instances.rows, Self.withStandardStatus(call.request.query))
    return list(page) { instance, index in
      instance.json(
        switches.nullStyle, index: index, environment, expandsAttributes: page.query.expandsAttributes)
    }
  }

  /// Without a status only what is open comes back, and not even what is suspended.
  private static func withStandardStatus(_ items: [ServerRequest.QueryItem]) -> [ServerRequest.QueryItem] {
    if items.contains(where: { $0.name == "status" && !$0.value.isEmpty }) { return items }
    return items + [.init(name: "status", value: "RUNNING,ERRONEOUS")]
  }

  mutating func getInstance(_ id: String, _ call: SAPCall) throws(SAPError) -> ServerResponse {
    let instance = try instance(id, call, .instanceGet)
    let expands = call.request.query.contains { $0.name == "$expand" && $0.value == "attributes" }
    return .json(instance.json(switches.nullStyle, index: nextSingle(), environment, expandsAttributes: expands))
  }

  func getInstanceContext(_ id: String, _ call: SAPCall) throws(SAPError) -> ServerResponse {
    .json(try instance(id, call, .instanceGetContext).context)
  }

  /// PUT replaces the whole context, PATCH changes parts of it.
  mutating func changeInstanceContext(
    _ id: String, replacing: Bool, _ call: SAPCall
  ) throws(SAPError) -> ServerResponse {
    let context = try call.object()
    _ = try instance(id, call, .instanceUpdateContext)
    if isBusy(id) { throw .busy }
    if replacing {
      instances.update(id) { $0.context = context }
    } else {
      mergeContext(of: id, with: context)
    }
    return ServerResponse(status: 204)
  }

  /// Workflows have no attributes here.
  func getInstanceAttributes(_ id: String, _ call: SAPCall) throws(SAPError) -> ServerResponse {
    _ = try instance(id, call, .instanceGetAttributes)
    return .json(.emptyArray)
  }

  func getErrorMessages(_ id: String, _ call: SAPCall) throws(SAPError) -> ServerResponse {
    let messages = try instance(id, call, .instanceGetErrorMessages).errorMessages
    return .json(
      JSONValue(
        array: messages.map { message in
          [
            "logId": .init(message.logID), "message": .init(message.text),
            "timestamp": .init(SAPTime.text(message.time)),
          ]
        }))
  }

  func getLogs(_ id: String, _ call: SAPCall) throws(SAPError) -> ServerResponse {
    let entries = try instance(id, call, .instanceGetLogs).log
    return .json(
      JSONValue(
        array: entries.enumerated().map { index, entry in
          JSONValue(
            object: [
              ("id", .init(String(index + 1))), ("type", .init(entry.type)),
              ("timestamp", .init(SAPTime.text(entry.time))), ("referenceInstanceId", .init(id)),
            ] + entry.members)
        }))
  }

  func instance(_ id: String, _ call: SAPCall, _ scope: SAPScope) throws(SAPError) -> SAPInstance {
    guard let instance = instances[id] else { throw .notFound("instance", id) }
    try call.require(scope)
    return instance
  }
}
