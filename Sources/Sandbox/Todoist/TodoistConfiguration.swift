package import Timing

/// What a sandbox begins with, and returns to when it is reset.
package struct TodoistConfiguration: Sendable {
  package var switches = TodoistSwitches()
  /// Where the clock stands; nil follows the system's.
  package var clock: Timestamp?
  package var clientID = "ringi-client-1"
  package var clientSecret = "ringi-secret-1/+="
  /// A personal token, which may do everything; a login gives others.
  package var token = "0123456789abcdef0123456789abcdef01234567"
  /// The callback that is registered for the client.
  package var redirect = "http://127.0.0.1:17791/callback"
  package var userID = "2671355"
  package var userName = "Ada"

  package init() {}
}

/// How the sandbox behaves where the service varies, or where nobody knows.
package struct TodoistSwitches: SandboxSwitches {
  /// How a limit that was exceeded is told.
  package enum LimitStyle: String, Sendable, CaseIterable {
    /// JSON with Retry-After and `error_extra.retry_after`.
    case json
    /// JSON without the header.
    case bodyOnly
    /// A plain text without a header.
    case plain
  }

  /// Whether a repeated `X-Request-Id` is carried out once.
  package var dedupsRequestIDs = false
  /// 400 or 404 for a numeric id.
  package var numericIDStatus = 400
  /// 204 without a body, or 200 with `null`, for a close.
  package var closeStatus = 204
  /// Requests per 15 minutes.
  package var rateLimit = 1000
  package var limitStyle = LimitStyle.json
  /// The status of a body over 1 MiB.
  package var tooLargeStatus = 413
  /// The `warning` header of every answer; nil leaves it out.
  package var warning: String?
  /// Whether the person in the browser grants the access.
  package var grants = true
  /// What the token endpoint demands of PKCE.
  package var needsPKCE = false

  package init() {}

  package var texts: [(name: String, value: String)] {
    [
      ("dedupsRequestIDs", "\(dedupsRequestIDs)"), ("numericIDStatus", "\(numericIDStatus)"),
      ("closeStatus", "\(closeStatus)"), ("rateLimit", "\(rateLimit)"), ("limitStyle", limitStyle.rawValue),
      ("tooLargeStatus", "\(tooLargeStatus)"), ("warning", warning ?? "none"), ("grants", "\(grants)"),
      ("needsPKCE", "\(needsPKCE)"),
    ]
  }

  package mutating func set(_ name: String, _ text: String) throws(SwitchError) {
    switch name {
    case "dedupsRequestIDs": dedupsRequestIDs = try Self.bool(name, text)
    case "numericIDStatus": numericIDStatus = try Self.status(name, text, [400, 404])
    case "closeStatus": closeStatus = try Self.status(name, text, [200, 204])
    case "rateLimit": rateLimit = try Self.value(name, text, Int(text), "requests per 15 minutes")
    case "limitStyle": limitStyle = try Self.choice(name, text)
    case "tooLargeStatus": tooLargeStatus = try Self.status(name, text, [400, 413])
    case "warning": warning = text == "none" ? nil : text
    case "grants": grants = try Self.bool(name, text)
    case "needsPKCE": needsPKCE = try Self.bool(name, text)
    default: throw unknown(name)
    }
  }

  private static func status(_ name: String, _ text: String, _ taken: [Int]) throws(SwitchError) -> Int {
    let status = Int(text).flatMap { taken.contains($0) ? $0 : nil }
    return try value(name, text, status, taken.map(String.init).joined(separator: ", "))
  }
}
