internal import RingiKit

/// How the service says that something went wrong.
struct RESTErrors {
  /// What an error may be for clients of the agent.
  enum Kind: String, CaseIterable {
    case backendError = "backend-error"
    case loginRequired = "login-required"
    case notFound = "not-found"
    case conflict
    case unavailable
  }

  /// Where the parts of a refusal are, the likeliest place first.
  let code: [JSONPointer]
  let message: [JSONPointer]
  let details: [JSONPointer]
  /// A member that tells success from failure whatever the status, and its values for success.
  let success: (at: JSONPointer, values: [String])?
  /// By the service's codes, and by statuses as texts.
  let kinds: [String: Kind]

  init(_ part: SettingsPart?) throws(SettingsError) {
    code = try part?.pointer("code").map { [$0] } ?? Self.pointers("/error/code", "/code", "/error")
    message =
      try part?.pointer("message").map { [$0] }
      ?? Self.pointers(
        "/error/message", "/error_description", "/message", "/detail", "/title", "/errors/0/message", "/error")
    details = try part?.pointer("details").map { [$0] } ?? Self.pointers("/error/fields", "/errors")
    if let part = part?.part("success") {
      success = (try part.pointer("at") ?? .root, part.json["is"]?.array?.map(\.plain) ?? [])
    } else {
      success = nil
    }
    let pairs = part?.members("kinds").compactMap { name, part in part.json.string.flatMap(Kind.init).map { (name, $0) }
    }
    kinds = Dictionary(pairs ?? []) { $1 }
  }

  private static func pointers(_ texts: String...) -> [JSONPointer] { texts.compactMap(JSONPointer.init) }

  /// Whether an answer of a status of 2xx says that it is a failure all the same.
  func isFailure(_ json: JSONValue?) -> Bool {
    guard let success, let value = json?[pointer: success.at] else { return false }
    return !success.values.contains(value.plain)
  }

  /// What a refusal is.
  func kind(status: Int, code: String?) -> Kind {
    if let kind = code.flatMap({ kinds[$0] }) ?? kinds[String(status)] { return kind }
    switch status {
    case 401: return .loginRequired
    case 404, 410: return .notFound
    case 409, 412: return .conflict
    case 501: return .backendError
    case 408, 423, 425, 429, 500...: return .unavailable
    default: return .backendError
    }
  }
}

extension JSONValue {
  /// A text as it is, and anything else as JSON: how settings and answers are compared.
  var plain: String { string ?? description }
}
