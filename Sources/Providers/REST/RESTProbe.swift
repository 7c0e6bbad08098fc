internal import RingiKit

/// What a check of a service reads: the list of its tasks, else what can be read without params.
@Loop
struct RESTProbe {
  let api: RESTAPI

  /// Reads once.
  ///
  /// - Returns: Whether something was read; without an operation for it, only whether anybody answers is found out.
  /// - Throws: `RPCError`.
  func read() async throws -> Bool {
    if let (operation, params) = operation {
      _ = try await api.read(try operation.request(params, api.settings))
      return true
    }
    var request = HTTPRequest(.get, api.settings.url, timeouts: api.settings.connection.timeouts)
    for (name, value) in api.settings.headers { request.headers[name] = value }
    do {
      _ = try await api.read(request)
    } catch let error as RPCError where !["login-required", "unavailable", "cancelled"].contains(error.kind) {
      // There need be nothing at the address itself.
    }
    return false
  }

  private var operation: (RESTOperation, JSONValue)? {
    if let list = api.settings.tasks?.list, let params = try? list.operation.checked(list.params) {
      return (list.operation, params)
    }
    for operation in api.settings.operations where !operation.changes && operation.method == .get {
      if let params = try? operation.checked(.emptyObject) { return (operation, params) }
    }
    return nil
  }
}
