internal import RingiKit

/// Logs in at the Neo environment: HTTP Basic, a session of its own, and the CSRF token that belongs to the session.
///
/// A token without its session's cookies is worth nothing, so both are one thing here: when the service refuses the
/// token, the pair is given up and a new one made, however many requests find out at once.
@Loop
final class NeoClient: HTTPClient {
  /// What one handshake gave; later answers may change the jar, never the token.
  private final class Session: Sendable {
    let authorization: String
    let csrfToken: String
    let cookies: CookieJar

    init(authorization: String, csrfToken: String, cookies: CookieJar) {
      self.authorization = authorization
      self.csrfToken = csrfToken
      self.cookies = cookies
    }
  }

  private let base: any HTTPClient
  private let tokenURL: HTTPURL
  private let user: String
  private let hide: @Loop @Sendable (String) -> Void
  private let readPassword: @Loop @Sendable () async throws -> String
  private let clock: any LoopClock
  private let handshake = SingleFlight<Session, TokenError>()
  private var session: Session?

  /// Keeps what a handshake takes; it is made with the first request.
  ///
  /// - Parameters:
  ///   - base: What sends.
  ///   - tokenURL: The address of `/v1/xsrf-token`.
  ///   - user: Whom to log in as.
  ///   - hide: Keeps the session out of what the agent says.
  ///   - clock: Understands dates in answers.
  ///   - readPassword: Asked at each handshake, so that a changed password is found.
  init(
    _ base: any HTTPClient, tokenURL: HTTPURL, user: String, hide: @escaping @Loop @Sendable (String) -> Void,
    clock: any LoopClock, readPassword: @escaping @Loop @Sendable () async throws -> String
  ) {
    self.base = CookieHidingClient(base, hide: hide)
    self.tokenURL = tokenURL
    self.user = user
    self.hide = hide
    self.clock = clock
    self.readPassword = readPassword
  }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let session = try await currentSession(for: request)
    let response = try await base.send(Self.authorized(request, by: session))
    guard response.status == 401 || Self.refusesToken(response) else { return response }
    // The refused request was not carried out, so a second one does no harm; a second refusal is the answer. The
    // handshake reads the password again, which may have changed since the last one.
    drop(session)
    return try await base.send(Self.authorized(request, by: currentSession(for: request)))
  }

  /// The one mark of a refused token; any other 403 is about permissions.
  nonisolated static func refusesToken(_ response: HTTPResponse) -> Bool {
    response.status == 403 && response.headers["X-CSRF-Token"]?.lowercased() == "required"
  }

  private func drop(_ stale: Session) {
    if session === stale { session = nil }
  }

  private static func authorized(_ request: HTTPRequest, by session: Session) -> HTTPRequest {
    var request = request
    request.headers["Authorization"] = session.authorization
    request.cookies = session.cookies
    if request.method != .get { request.headers["X-CSRF-Token"] = session.csrfToken }
    return request
  }

  private func currentSession(for request: HTTPRequest) async throws(HTTPError) -> Session {
    if let session { return session }
    let outcome = await handshake.outcome { [self] in
      do throws(TokenError) {
        let made = try await shakeHands(within: request.timeouts)
        session = made
        return .success(made)
      } catch {
        return .failure(error)
      }
    }
    switch outcome {
    case .success(let session): return session
    case .failure(let error): throw HTTPError(.token(error), of: request)
    case nil: throw HTTPError(.cancelled, of: request)
    }
  }

  private func shakeHands(within timeouts: HTTPRequest.Timeouts) async throws(TokenError) -> Session {
    let authorization = HTTPHeaders.basic(user: user, password: try await password())
    let cookies = CookieJar()
    let headers: HTTPHeaders = ["Authorization": authorization, "X-CSRF-Token": "Fetch"]
    let request = HTTPRequest(.get, tokenURL, headers: headers, timeouts: timeouts, cookies: cookies)
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await base.send(request)
    } catch {
      throw .transport(error)
    }
    // Some routers answer with an error and give the token all the same.
    if let token = response.headers["X-CSRF-Token"], !token.isEmpty, token.lowercased() != "required",
      response.status != 401
    {
      hide(token)
      return Session(authorization: authorization, csrfToken: token, cookies: cookies)
    }
    switch response.status {
    case 200...299, 300...399, 401, 403: throw .refused(status: response.status, code: nil)
    case 408, 425, 429, 500...:
      throw .unavailable(status: response.status, retryAfter: response.retryAfter(now: clock.now))
    default: throw .unusable(status: response.status, "there is no CSRF token")
    }
  }

  private func password() async throws(TokenError) -> String {
    do {
      return try await readPassword()
    } catch {
      throw .noClientSecret("\(error)")
    }
  }
}
