internal import HTTPServer
internal import JSON
internal import Timing

/// A request whose sender is known.
struct SAPCall {
  let request: ServerRequest
  let caller: SAPCaller
  let now: Timestamp

  func require(_ scope: SAPScope) throws(SAPError) {
    guard caller.may(scope) else { throw .privileges }
  }

  /// The body as JSON.
  ///
  /// - Throws: 415 when it is declared as something else, 400 when it is not JSON.
  func json() throws(SAPError) -> JSONValue {
    if !request.body.isEmpty {
      let type = request.headers["Content-Type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
      guard type == "application/json" else { throw .page(415, "Unsupported Media Type") }
    }
    do throws(JSONSyntaxError) {
      return try JSONValue(parsing: request.body)
    } catch {
      throw .notJSON
    }
  }

  /// The body as a JSON object.
  func object() throws(SAPError) -> JSONValue {
    let body = try json()
    guard body.kind == .object else { throw .notJSON }
    return body
  }
}

extension JSONValue {
  /// An optional member that must be a string if it is there.
  func string(_ key: String) throws(SAPError) -> String? {
    guard let value = self[key] else { return nil }
    guard let string = value.string else { throw .notJSON }
    return string
  }

  /// An optional member that must be an object if it is there.
  func objectMember(_ key: String) throws(SAPError) -> JSONValue? {
    guard let value = self[key] else { return nil }
    guard value.kind == .object else { throw .notJSON }
    return value
  }
}
