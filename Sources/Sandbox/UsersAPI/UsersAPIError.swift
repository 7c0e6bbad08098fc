internal import HTTPServer
internal import JSON

/// A refusal.
struct UsersAPIError: Error {
  let status: Int
  let code: String
  let message: String
  var fields: [(String, String)] = []
  /// The record as it is, of a conflict.
  var current: JSONValue?

  static let unauthenticated = UsersAPIError(status: 401, code: "unauthenticated", message: "Unauthenticated.")
  static let expired = UsersAPIError(status: 401, code: "token_expired", message: "The token has expired.")
  static let unknown = UsersAPIError(status: 404, code: "not_found", message: "There is no such record.")

  static func invalid(_ fields: [(String, String)]) -> UsersAPIError {
    UsersAPIError(status: 422, code: "validation_failed", message: "The record is not valid.", fields: fields)
  }

  static func bad(_ message: String) -> UsersAPIError {
    UsersAPIError(status: 400, code: "bad_request", message: message)
  }

  func response(_ switches: UsersAPISwitches) -> ServerResponse {
    var (json, type): (JSONValue, String) = (shape(switches.errorShape), "application/json")
    if self.code == Self.unauthenticated.code { json = ["message": .init(message)] }
    if switches.errorShape == .problem { type = "application/problem+json" }
    if let current { json = json.setting("data", to: current) }
    let status = switches.hidesErrors && status != 401 ? 200 : status
    return ServerResponse(status: status, headers: ["Content-Type": "\(type); charset=utf-8"], body: json.utf8)
  }

  private func shape(_ shape: UsersAPISwitches.ErrorShape) -> JSONValue {
    let all = JSONValue(object: fields.map { ($0.0, [.init($0.1)]) })
    switch shape {
    case .envelope:
      return ["status": "error", "error": ["code": .init(code), "message": .init(message), "fields": all]]
    case .problem:
      return [
        "type": .init("https://api.acme.example/problems/\(code)"), "title": .init(message), "status": .init(status),
        "detail": .init(fields.map { "\($0.0) \($0.1)" }.joined(separator: ", ")),
      ]
    case .list:
      let list = fields.isEmpty ? [("", message)] : fields
      return [
        "errors": JSONValue(array: list.map { ["field": .init($0.0), "message": .init($0.1)] as JSONValue })
      ]
    case .message: return ["message": .init(message)]
    }
  }
}
