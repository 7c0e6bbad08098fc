internal import HTTPServer
internal import JSON

/// Cancelling, suspending, resuming and deleting workflow instances.
extension SAPState {
  private static let targets: [SAPInstance.Status: SAPScope] = [
    .canceled: .instanceCancel, .suspended: .instanceSuspend, .running: .instanceResume,
  ]

  /// Takes the change on; it happens later.
  mutating func patchInstance(_ id: String, _ call: SAPCall) throws(SAPError) -> ServerResponse {
    let body = try call.object()
    guard let status = try body.string("status") else { throw .notJSON }
    let cascade = body["cascade"] ?? false
    guard let cascade = cascade.bool else { throw .notJSON }
    guard let instance = instances[id] else { throw .notFound("instance", id) }
    let target = SAPInstance.Status(rawValue: status)
    let scope = target.flatMap { Self.targets[$0] }
    try call.require(scope ?? .instanceCancel)
    guard let target, scope != nil, !instance.status.isFinal else {
      throw .envelope(
        422, code: "instance.status.invalid",
        message: "The status of the instance cannot change from \(instance.status.rawValue) to \(status).")
    }
    if isBusy(id) { throw .busy }
    later(.setStatus(id, target, cascade: cascade), at: call.now)
    return ServerResponse(status: 202)
  }

  /// The largest deletion that is done at once; larger ones become jobs.
  private static let atOnce = 100

  /// Deletes many instances: an array of `{"id": …, "deleted": true}`.
  mutating func deleteInstances(_ call: SAPCall) throws(SAPError) -> ServerResponse {
    guard let entries = try call.json().array, entries.count <= 10_000 else { throw .notJSON }
    try call.require(.instancesUpdate)
    var ids: Set<String> = []
    for entry in entries {
      guard let id = entry["id"]?.string, entry["deleted"]?.bool == true else {
        throw .envelope(422, code: nil, message: "Every entry needs an 'id' and 'deleted': true.")
      }
      ids.insert(id)
    }
    guard ids.count > Self.atOnce else {
      delete(ids)
      return ServerResponse(status: 200)
    }
    return startJob(call) { .deleteInstances(ids, job: $0) }
  }
}
