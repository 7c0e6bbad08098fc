internal import Timing

/// How a sandbox behaves where the real service varies, or where nobody knows; may be changed while it runs.
package struct ServiceNowSwitches: Sendable {
  package enum BasicAuthentication: String, Sendable, CaseIterable {
    case open
    /// Only accounts that are allowed to.
    case restricted
  }

  package enum RefreshTokenAnswer: String, Sendable, CaseIterable {
    case same
    /// A new one each time; the one before is dead.
    case rotated
    /// The answer has none, and the one before lives on.
    case absent
  }

  /// What becomes of a change of an approval's state that is final.
  package enum FinalPatch: String, Sendable, CaseIterable {
    case overwrite = "overwrite_200"
    case unchanged = "unchanged_200"
    case businessRule = "business_rule_403"
  }

  /// What becomes of an approval over the API that takes a signature.
  package enum Signature: String, Sendable, CaseIterable {
    case unchanged = "unchanged_200"
    case forbidden = "403"
  }

  /// What the person says whom `/oauth_auth.do` asks for consent.
  package enum Consent: String, Sendable, CaseIterable {
    case allow
    /// No, and the browser is sent back with `error=access_denied`.
    case deny
    /// No, and the browser stays where it is.
    case denyWithPage = "deny_page"
  }

  /// How a login that is missing or bad is named.
  package enum LoginMessage: String, Sendable, CaseIterable { case older, newer }

  package var headerCase = HeaderCase.canonical
  package var accessTokenLife = Duration.seconds(1800)
  package var refreshTokenLife = Duration.seconds(8_640_000)
  package var refreshTokenAnswer = RefreshTokenAnswer.same
  package var codeLife = Duration.seconds(60)
  package var consent = Consent.allow
  /// Whether a code gives a refresh token beside the access token.
  package var refreshTokenWithCode = true
  /// Whether clients are registered as public: they may show the verifier of their code in place of their secret.
  package var publicClient = false
  /// Whether a public client may refresh without a secret.
  package var publicRefresh = false
  /// Whether the token endpoint takes parameters from the query.
  package var allowQueryParams = false
  package var passwordGrant = true
  package var clientCredentials = true
  package var basicAuth = BasicAuthentication.open
  /// How long a session of the API lives without a request.
  package var integrationTimeout = Duration.seconds(60)
  /// How long a session of pages lives without a request.
  package var uiTimeout = Duration.seconds(1800)
  package var cookieDiesWithToken = true
  /// Whether a page sends to single sign-on, on another server, who isn't logged in.
  package var sso = false
  /// Whether the page for sessions that have ended sends to itself.
  package var timeoutLoop = false
  /// How many requests of each session of pages wait; more than ten, and further ones are dropped.
  package var sessionQueue = 0
  package var loginMessage = LoginMessage.newer
  /// Whether a bearer that is no good is served as a guest, as public APIs do it.
  package var guest = false
  /// Whether a write that the caller may not do answers 200 with the record as it was.
  package var fieldACL = false
  package var finalPatch = FinalPatch.businessRule
  package var signature = Signature.forbidden
  package var invalidQueryReturnsNoRows = false
  /// The status of a write without a Content-Type: 400 or 415.
  package var missingContentType = 415
  /// Whether the instance is asleep: all answers are a page.
  package var hibernating = false
  /// Lists of more rows than this break off after half of them; nil has no limit.
  package var rowsPerTransaction: Int?
  /// Requests per hour; nil has no rule.
  package var rateLimit: Int?
  /// How far the clock of the header `Date` is ahead, in seconds.
  package var dateSkew = 0

  package init() {}
}

extension ServiceNowSwitches: SandboxSwitches {
  package var texts: [(name: String, value: String)] {
    [
      ("headerCase", headerCase.rawValue), ("accessTokenLife", DurationText.format(accessTokenLife)),
      ("refreshTokenLife", DurationText.format(refreshTokenLife)), ("refreshTokenAnswer", refreshTokenAnswer.rawValue),
      ("codeLife", DurationText.format(codeLife)), ("consent", consent.rawValue),
      ("refreshTokenWithCode", "\(refreshTokenWithCode)"),
      ("publicClient", "\(publicClient)"), ("publicRefresh", "\(publicRefresh)"),
      ("allowQueryParams", "\(allowQueryParams)"),
      ("passwordGrant", "\(passwordGrant)"), ("clientCredentials", "\(clientCredentials)"),
      ("basicAuth", basicAuth.rawValue), ("integrationTimeout", DurationText.format(integrationTimeout)),
      ("uiTimeout", DurationText.format(uiTimeout)), ("sso", "\(sso)"), ("timeoutLoop", "\(timeoutLoop)"),
      ("sessionQueue", "\(sessionQueue)"), ("cookieDiesWithToken", "\(cookieDiesWithToken)"),
      ("loginMessage", loginMessage.rawValue), ("guest", "\(guest)"),
      ("fieldACL", "\(fieldACL)"), ("finalPatch", finalPatch.rawValue), ("signature", signature.rawValue),
      ("invalidQueryReturnsNoRows", "\(invalidQueryReturnsNoRows)"), ("missingContentType", "\(missingContentType)"),
      ("hibernating", "\(hibernating)"), ("rowsPerTransaction", rowsPerTransaction.map { "\($0)" } ?? "none"),
      ("rateLimit", rateLimit.map { "\($0)" } ?? "none"), ("dateSkew", "\(dateSkew)"),
    ]
  }

  package mutating func set(_ name: String, _ text: String) throws(SwitchError) {
    switch name {
    case "headerCase": headerCase = try Self.choice(name, text)
    case "accessTokenLife": accessTokenLife = try Self.duration(name, text)
    case "refreshTokenLife": refreshTokenLife = try Self.duration(name, text)
    case "refreshTokenAnswer": refreshTokenAnswer = try Self.choice(name, text)
    case "codeLife": codeLife = try Self.duration(name, text)
    case "consent": consent = try Self.choice(name, text)
    case "refreshTokenWithCode": refreshTokenWithCode = try Self.bool(name, text)
    case "publicClient": publicClient = try Self.bool(name, text)
    case "publicRefresh": publicRefresh = try Self.bool(name, text)
    case "allowQueryParams": allowQueryParams = try Self.bool(name, text)
    case "passwordGrant": passwordGrant = try Self.bool(name, text)
    case "clientCredentials": clientCredentials = try Self.bool(name, text)
    case "basicAuth": basicAuth = try Self.choice(name, text)
    case "integrationTimeout": integrationTimeout = try Self.duration(name, text)
    case "uiTimeout": uiTimeout = try Self.duration(name, text)
    case "sso": sso = try Self.bool(name, text)
    case "timeoutLoop": timeoutLoop = try Self.bool(name, text)
    case "sessionQueue": sessionQueue = try Self.value(name, text, Int(text), "a number of requests")
    case "cookieDiesWithToken": cookieDiesWithToken = try Self.bool(name, text)
    case "loginMessage": loginMessage = try Self.choice(name, text)
    case "guest": guest = try Self.bool(name, text)
    case "fieldACL": fieldACL = try Self.bool(name, text)
    case "finalPatch": finalPatch = try Self.choice(name, text)
    case "signature": signature = try Self.choice(name, text)
    case "invalidQueryReturnsNoRows": invalidQueryReturnsNoRows = try Self.bool(name, text)
    case "missingContentType":
      missingContentType = try Self.value(name, text, [400, 415].first { "\($0)" == text }, "400 or 415")
    case "hibernating": hibernating = try Self.bool(name, text)
    case "rowsPerTransaction": rowsPerTransaction = try Self.limit(name, text, "rows, or none")
    case "rateLimit": rateLimit = try Self.limit(name, text, "requests per hour, or none")
    case "dateSkew": dateSkew = try Self.value(name, text, Int(text), "seconds, which may be negative")
    default: throw unknown(name)
    }
  }

  private static func limit(_ name: String, _ text: String, _ taken: String) throws(SwitchError) -> Int? {
    text == "none" ? nil : try value(name, text, Int(text), taken)
  }
}
