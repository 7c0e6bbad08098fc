internal import RingiKit

/// The methods of an instance, one for each operation of its settings.
@Loop
struct RESTMethods {
  let api: RESTAPI

  func register(on registrar: inout Registrar) {
    for operation in api.settings.operations {
      registrar.method(
        operation.name, operation.summary, params: operation.schema, result: Self.result(of: operation),
        isMutation: operation.changes
      ) { params, _ in try await call(operation, params) }
    }
  }

  private nonisolated static func result(of operation: RESTOperation) -> Schema {
    guard operation.paging != nil else { return operation.returns?.nullable ?? .any }
    return .object(
      properties: [
        ("items", .array("The rows of all pages.", of: operation.returns ?? .any)),
        ("complete", .boolean("Whether these are all.")),
      ], required: ["items", "complete"])
  }

  private func call(_ operation: RESTOperation, _ params: JSONValue) async throws -> JSONValue {
    guard operation.paging == nil else { return try await list(operation, params) }
    let request = try operation.request(params, api.settings)
    guard operation.changes else { return try api.result(try await api.read(request), of: operation) }
    do {
      return try api.result(try await api.write(request), of: operation)
    } catch let unclear as UnclearOutcome {
      throw RPCError.outcomeUnknown(unclear, at: api.instance, "read it back before sending it again")
    }
  }

  private func list(_ operation: RESTOperation, _ params: JSONValue) async throws -> JSONValue {
    let limit = params["limit"]?.int.map { Int(clamping: $0) } ?? RESTList.most
    let found = try await RESTList(api: api, operation: operation).rows(params, limit: limit)
    let rows = JSONValue(array: found.rows.map(api.settings.names.local))
    return ["items": rows, "complete": JSONValue(found.isComplete)]
  }
}
