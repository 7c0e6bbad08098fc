internal import HTTPServer
internal import JSON

/// A refusal, in the service's words.
enum WunderlistError: Error {
  case unauthorized
  case notFound
  /// With the reasons per field.
  case missingParameter([(String, [String])])
  case validation(status: Int, [(String, [String])])
  case conflict
  case badRequest
  /// With what is missing of the authentication.
  case server([(String, [String])]?)
  /// A path that there is, with another method.
  case method

  var response: ServerResponse {
    switch self {
    case .unauthorized: Self.json(401, "unauthorized", "api_error_unauthorized", "You are not authorized.")
    case .notFound, .method:
      Self.json(404, "not_found", "api_error_not_found", "The resource you requested could not be found.")
    case .missingParameter(let fields):
      Self.json(400, "missing_parameter", "api_error_missing_params", "Missing parameter.", Self.members(fields))
    case .validation(let status, let fields):
      Self.json(
        status, "validation_error", "api_error_validation_error",
        "The information you sent could not be processed (validation failure).", Self.members(fields))
    case .conflict:
      Self.json(
        409, "conflict", "api_error_conflict", "There is a conflict with the given data.",
        [("revision_conflict", true)])
    case .badRequest: .json(["error": "bad_request"], status: 400)
    case .server(let fields):
      Self.json(
        500, "server_error", "api_error_unknown", "An unknown server error occurred", Self.members(fields ?? []))
    }
  }

  private static func members(_ fields: [(String, [String])]) -> [(String, JSONValue)] {
    fields.map { ($0.0, JSONValue(array: $0.1.map { .init($0) })) }
  }

  private static func json(
    _ status: Int, _ type: String, _ key: String, _ message: String, _ more: [(String, JSONValue)] = []
  ) -> ServerResponse {
    let error: [(String, JSONValue)] = [
      ("type", .init(type)), ("translation_key", .init(key)), ("message", .init(message)),
    ]
    return .json(["error": JSONValue(object: error + more)], status: status)
  }
}
