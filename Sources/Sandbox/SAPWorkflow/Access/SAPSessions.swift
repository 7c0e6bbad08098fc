internal import HTTPServer
internal import Timing

/// The living sessions of the Neo environment.
struct SAPSessions {
  private var sessions: [String: SAPSession] = [:]

  mutating func expireAll() { sessions = [:] }

  mutating func open(user: String, now: Timestamp) -> SAPSession {
    let session = SAPSession(user: user, now: now)
    sessions[session.id] = session
    return session
  }

  /// The living session that a request names, if it belongs to this user and reached the node that knows it.
  mutating func find(
    _ headers: ServerHeaders, user: String, now: Timestamp, _ configuration: SAPWorkflowConfiguration,
    _ switches: SAPSwitches
  ) -> SAPSession? {
    let cookies = Self.cookies(headers)
    guard let id = cookies[SAPSession.idCookie], var session = sessions[id], session.user == user else { return nil }
    guard now.duration(since: session.lastUsed) <= switches.sessionIdle else {
      sessions[id] = nil
      return nil
    }
    let affinity = cookies[SAPSession.affinityCookie(configuration)]
    guard switches.affinity == .none || affinity == session.affinity else { return nil }
    session.lastUsed = now
    sessions[id] = session
    return session
  }

  /// The cookies of a request; a value is what follows the first `=`.
  private static func cookies(_ headers: ServerHeaders) -> [String: String] {
    var cookies: [String: String] = [:]
    for pair in headers.all("Cookie").flatMap({ $0.split(separator: ";") }) {
      let sides = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if sides.count == 2 { cookies[String(sides[0])] = cookies[String(sides[0])] ?? String(sides[1]) }
    }
    return cookies
  }
}
