internal import RingiKit

/// The methods `INSTANCE.resource.…`, for all that an installation has below `/v1`.
@Loop
struct CuramResourceMethods {
  let api: CuramAPI

  private static let read = Schema.object(
    ["path": CuramPath.schema, "query": CuramPath.query.default(.emptyObject)], required: ["path"])
  private static let write = Schema.object(
    ["path": CuramPath.schema, "body": .object([:], isOpen: true).described("What to send.")],
    required: ["path", "body"])
  private static let body = Schema.any.described("The answer's JSON; null when it has none.")

  func register(on registrar: inout Registrar) {
    registrar.method(
      "resource.get", "Reads a resource.", params: Self.read,
      result: .object(["body": Self.body], required: ["body"])
    ) { params, _ in ["body": try await api.read(try path(params))] }
    registrar.method(
      "resource.list", "Reads a resource that is a list.", params: Self.read,
      result: .object(["data": .array("The list's members.", of: .any)], required: ["data"])
    ) { params, _ in ["data": try await api.list(try path(params))] }
    registrar.method(
      "resource.create", "Makes something new, by POST.", params: Self.write,
      result: .object(
        ["id": .string("What the service calls it, where it says so.").nullable, "body": Self.body],
        required: ["id", "body"]), isMutation: true
    ) { params, _ in
      let made = try await write(.post, params)
      return ["id": made.id.map { JSONValue($0) } ?? .null, "body": made.body]
    }
    registrar.method(
      "resource.update", "Changes a resource, by PUT.", params: Self.write,
      result: .object(["body": Self.body], required: ["body"]), isMutation: true
    ) { params, _ in ["body": try await write(.put, params).body] }
  }

  private func path(_ params: JSONValue) throws(RPCError) -> CuramPath {
    try CuramPath(params["path"]?.string ?? "", query: params["query"])
  }

  private func write(_ method: HTTPMethod, _ params: JSONValue) async throws -> (body: JSONValue, id: String?) {
    do {
      return try await api.write(method, try path(params), params["body"] ?? .emptyObject)
    } catch let unclear as UnclearOutcome {
      throw RPCError.outcomeUnknown(
        unclear, at: api.failure.instance, "read the resource before sending it again")
    }
  }
}
