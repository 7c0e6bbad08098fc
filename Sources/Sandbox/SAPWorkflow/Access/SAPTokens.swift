internal import JSON
internal import Timing

/// The OAuth tokens and codes that are in force.
struct SAPTokens {
  /// What a token lets its holder do, and for whom.
  struct Grant {
    let client: String
    /// nil with client credentials.
    let user: String?
    /// As they were when the login happened; granting the client more does not change them.
    let scopes: [SAPScope]
  }

  /// Where a refresh token that changes with each use stands.
  private enum Use { case current, previous, spent }

  private struct Refresh {
    let grant: Grant
    var use = Use.current
    let predecessor: String?
  }

  enum RefreshRefusal: Error { case unknown, reused }

  private var access: [String: (grant: Grant, expires: Timestamp)] = [:]
  private var refresh: [String: Refresh] = [:]
  private var codes: [String: (grant: Grant, redirectURI: String)] = [:]

  mutating func revokeAccess() { access = [:] }

  mutating func revokeRefresh() { refresh = [:] }

  /// - Returns: nil for a token that is unknown or past its time.
  func grant(of token: Substring, at now: Timestamp) -> Grant? {
    access[String(token)].flatMap { now < $0.expires ? $0.grant : nil }
  }

  mutating func keep(_ token: String, for grant: Grant, until expires: Timestamp) { access[token] = (grant, expires) }

  mutating func makeRefresh(for grant: Grant, after predecessor: String? = nil) -> String {
    let token = RandomText.lowerHex(32) + "-r"
    refresh[token] = Refresh(grant: grant, predecessor: predecessor)
    return token
  }

  /// Uses a refresh token.
  ///
  /// - Returns: its grant, and the token to use next time.
  mutating func useRefresh(
    _ token: String, client: String, _ policy: SAPSwitches.RefreshTokens
  ) throws(RefreshRefusal) -> (grant: Grant, next: String) {
    guard let found = refresh[token], found.grant.client == client else { throw .unknown }
    guard policy == .rotated else { return (found.grant, token) }
    switch found.use {
    case .current: refresh[token]?.use = .previous
    case .previous: refresh[token]?.use = .spent
    case .spent: throw .reused
    }
    // Whoever holds this token has received it, so the one before is needed no more.
    if let predecessor = found.predecessor { refresh[predecessor]?.use = .spent }
    return (found.grant, makeRefresh(for: found.grant, after: token))
  }

  mutating func makeCode(for grant: Grant, redirectURI: String) -> String {
    let code = RandomText.lowerHex(24)
    codes[code] = (grant, redirectURI)
    return code
  }

  /// A code works once, for the client and the redirect that it was made for.
  mutating func useCode(_ code: String, client: String, redirectURI: String?) -> Grant? {
    guard let found = codes.removeValue(forKey: code), found.grant.client == client,
      redirectURI ?? found.redirectURI == found.redirectURI
    else { return nil }
    return found.grant
  }
}
