internal import Timing

/// The OAuth tokens and codes that are in force.
struct ServiceNowTokens {
  struct Grant: Equatable {
    let client: String
    let user: String
  }

  struct Code {
    let grant: Grant
    let redirectURI: String
    let challenge: String?
    let expires: Timestamp
  }

  private var access: [String: (grant: Grant, expires: Timestamp)] = [:]
  private var refresh: [String: (grant: Grant, expires: Timestamp)] = [:]
  private var codes: [String: Code] = [:]

  mutating func revokeAccess() { access = [:] }

  mutating func revokeRefresh() { refresh = [:] }

  mutating func revoke(_ token: String) {
    access[token] = nil
    refresh[token] = nil
  }

  /// Whose token it is, and when it ends; nil for one that is unknown or past its time.
  func holder(of token: String, at now: Timestamp) -> (grant: Grant, expires: Timestamp)? {
    access[token].flatMap { now < $0.expires ? $0 : nil }
  }

  mutating func makeAccess(for grant: Grant, until expires: Timestamp) -> String {
    let token = RandomText.lowerHex(64)
    access[token] = (grant, expires)
    return token
  }

  /// The token that the client has for the user already lives on; a second login gives no second one.
  mutating func extendAccess(for grant: Grant, until expires: Timestamp, at now: Timestamp) -> String {
    guard let token = access.first(where: { $0.value.grant == grant && now < $0.value.expires })?.key else {
      return makeAccess(for: grant, until: expires)
    }
    access[token] = (grant, expires)
    return token
  }

  mutating func makeRefresh(for grant: Grant, until expires: Timestamp) -> String {
    let token = RandomText.lowerHex(64)
    refresh[token] = (grant, expires)
    return token
  }

  func refreshGrant(of token: String, client: String, at now: Timestamp) -> Grant? {
    guard let found = refresh[token], found.grant.client == client, now < found.expires else { return nil }
    return found.grant
  }

  mutating func makeCode(_ code: Code) -> String {
    let text = RandomText.lowerHex(32)
    codes[text] = code
    return text
  }

  /// A code works once.
  mutating func useCode(_ text: String) -> Code? { codes.removeValue(forKey: text) }
}
