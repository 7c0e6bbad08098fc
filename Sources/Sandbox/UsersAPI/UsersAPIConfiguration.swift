package import Timing

/// What a sandbox begins with, and returns to when it is reset.
package struct UsersAPIConfiguration: Sendable {
  package var switches = UsersAPISwitches()
  /// Where the clock stands; nil follows the system's.
  package var clock: Timestamp?
  /// A token that does not end.
  package var token = "5f4dcc3b-Users-Api+Token/7="
  package var login = "approver"
  package var password = "let-me-approve"

  package init() {}
}

/// How the sandbox behaves where services of this kind differ.
package struct UsersAPISwitches: SandboxSwitches {
  /// What becomes of multipart on PATCH.
  package enum PatchMultipart: String, Sendable, CaseIterable {
    case parse
    /// 200, and nothing is changed.
    case ignore200 = "ignore_200"
    case refuse = "415"
  }

  /// The form of refusals.
  package enum ErrorShape: String, Sendable, CaseIterable {
    /// `{"status": "error", "error": {code, message, fields}}`
    case envelope
    /// `application/problem+json` (RFC 9457).
    case problem
    /// `{"errors": [{field, message}]}`
    case list
    /// `{"message": …}`
    case message
  }

  package var patchMultipart = PatchMultipart.ignore200
  package var errorShape = ErrorShape.envelope
  /// Whether refusals come with the status 200.
  package var hidesErrors = false
  package var tokenLife = Duration.seconds(3600)
  /// Whether more than five logins in a minute lock the account.
  package var lockout = false
  /// Requests per minute.
  package var rateLimit = 100
  /// Whether a row comes and one goes between pages.
  package var drift = false
  /// Where the next page's link leads instead: another origin.
  package var linkForeign: String?
  /// Whether a cursor is given again for ever.
  package var repeatsCursor = false
  /// A decision answers 202 and is done later.
  package var decidesLater: Latency?

  package init() {}

  package var texts: [(name: String, value: String)] {
    [
      ("patch_multipart", patchMultipart.rawValue), ("error_shape", errorShape.rawValue),
      ("hides_errors", "\(hidesErrors)"), ("token_life", DurationText.format(tokenLife)), ("lockout", "\(lockout)"),
      ("rate_limit", "\(rateLimit)"), ("drift", "\(drift)"), ("link_foreign", linkForeign ?? "none"),
      ("repeats_cursor", "\(repeatsCursor)"), ("decides_later", decidesLater?.text ?? "none"),
    ]
  }

  package mutating func set(_ name: String, _ text: String) throws(SwitchError) {
    switch name {
    case "patch_multipart": patchMultipart = try Self.choice(name, text)
    case "error_shape": errorShape = try Self.choice(name, text)
    case "hides_errors": hidesErrors = try Self.bool(name, text)
    case "token_life": tokenLife = try Self.duration(name, text)
    case "lockout": lockout = try Self.bool(name, text)
    case "rate_limit": rateLimit = try Self.value(name, text, Int(text), "requests per minute")
    case "drift": drift = try Self.bool(name, text)
    case "link_foreign": linkForeign = text == "none" ? nil : text
    case "repeats_cursor": repeatsCursor = try Self.bool(name, text)
    case "decides_later":
      decidesLater =
        text == "none" ? nil : try Self.value(name, text, Latency(text: text), "tick, none, or a duration such as 3s")
    default: throw unknown(name)
    }
  }
}
