internal import Timing

/// Sessions of the API and of pages, each of them one set of cookies.
struct ServiceNowSessions {
  struct Session {
    let user: String
    /// 72 digits; what shows that a request with the cookies is meant.
    let userToken: String
    var lastUse: Timestamp
    /// When the token ends that it was born from.
    let tokenEnds: Timestamp?
    /// Whether it began with a page; one of the API opens no page.
    let isForPages: Bool
  }

  private var sessions: [String: Session] = [:]

  mutating func expire() { sessions = [:] }

  /// Opens one.
  ///
  /// - Returns: The value of JSESSIONID.
  mutating func open(_ user: String, tokenEnds: Timestamp?, at now: Timestamp, isForPages: Bool = false) -> String {
    let id = RandomText.upperHex(32)
    sessions[id] = Session(
      user: user, userToken: RandomText.lowerHex(72), lastUse: now, tokenEnds: tokenEnds, isForPages: isForPages)
    return id
  }

  mutating func end(_ id: String) { sessions[id] = nil }

  /// The session of a cookie, used now; nil for one that has ended.
  mutating func use(_ id: String, at now: Timestamp, _ switches: ServiceNowSwitches) -> Session? {
    guard var session = sessions[id] else { return nil }
    let hasEnded =
      now >= session.lastUse + (session.isForPages ? switches.uiTimeout : switches.integrationTimeout)
      || (switches.cookieDiesWithToken && session.tokenEnds.map { now >= $0 } ?? false)
    if hasEnded {
      sessions[id] = nil
      return nil
    }
    session.lastUse = now
    sessions[id] = session
    return session
  }
}
