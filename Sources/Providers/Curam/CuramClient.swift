internal import RingiKit

/// Sends requests as a user who is logged in: with the session's cookies, the Referer, and the CSRF token where the
/// site wants one.
///
/// One login serves all requests. When the service says in any of its ways that nobody is logged in, there is one new
/// login, however many requests find out, and each of them is sent once more: it was not carried out.
@Loop
final class CuramClient {
  let failure: CuramFailure
  let clock: any LoopClock
  private let settings: CuramSettings
  private let login: CuramLogin
  private let once: any HTTPClient
  private let retrying: any HTTPClient
  private let hide: @Loop @Sendable (String) -> Void
  private let flight = SingleFlight<CuramSession, RPCError>()
  private var session: CuramSession?
  /// Whether the site has asked for tokens; a new session gets one at once then.
  private var wantsTokens: Bool
  private var isStopped = false

  init(_ settings: CuramSettings, context: ProviderContext) {
    self.settings = settings
    clock = context.clock
    failure = CuramFailure(instance: context.instance, clock: context.clock)
    let curl = CookieHidingClient(settings.connection.client(), hide: context.hide)
    once = RestingClient(curl, clock: context.clock)
    retrying = RetryingClient(once, clock: context.clock)
    login = CuramLogin(settings, client: once, failure: failure, context: context)
    hide = context.hide
    wantsTokens = settings.csrf == .on
  }

  /// Sends a request.
  ///
  /// - Parameters:
  ///   - method: GET is sent again when the network or the service has trouble, the others never once they may have
  ///     been carried out.
  ///   - url: Below the installation's own address.
  ///   - body: JSON to send.
  /// - Returns: The answer, which may be a refusal; when it still says that nobody is logged in, a new login did not help.
  /// - Throws: `HTTPError` when no answer came; `RPCError` when there is no session to send it in.
  func send(_ method: HTTPMethod, _ url: HTTPURL, body: JSONValue? = nil) async throws -> HTTPResponse {
    let sender = method == .get ? retrying : once
    var mayLogIn = true
    // Twice, since answers under way may have put another session into the jar while the first was fetched.
    var tokenFetches = settings.csrf == .off ? 0 : 2
    while true {
      let session = try await currentSession()
      let token = session.token
      let response = try await sender.send(request(method, url, body, session))
      if mayLogIn, method == .get ? Self.isLoggedOut(response) : Self.isUndone(response) {
        mayLogIn = false
        drop(session)
      } else if tokenFetches > 0, Self.refusesToken(response) {
        tokenFetches -= 1
        wantsTokens = true
        if session.token == token { try await fetchToken(session) }
        // A site without tokens has none to give.
        guard session.token != nil else { return response }
      } else {
        return response
      }
    }
  }

  /// Ends the session at the service, and sends nothing any more.
  func stop() async {
    isStopped = true
    // What can't be ended in time, the service ends by itself.
    try? await clock.withTimeout(.seconds(5)) { [self] in
      if flight.isRunning { _ = await flight.outcome { .failure(.cancelled()) } }
      await logOut()
    }
    session = nil
  }

  // MARK: Answers

  /// The three ways in which a read says that the login has ended.
  nonisolated static func isLoggedOut(_ response: HTTPResponse) -> Bool {
    switch response.status {
    case 401: true
    case 300...399: response.headers["Location"] != nil
    case 200: response.contentType?.essence == "text/html"
    default: false
    }
  }

  /// Whether the answer to a write says for certain that nobody was logged in, so that nothing was done.
  ///
  /// A page or a redirect may as well be how the service ends what it has done.
  nonisolated static func isUndone(_ response: HTTPResponse) -> Bool {
    switch response.status {
    case 401: true
    case 300...399: CuramLoginPage.isTarget(of: response)
    case 200: CuramLoginPage.isBody(of: response)
    default: false
    }
  }

  private static func refusesToken(_ response: HTTPResponse) -> Bool {
    response.status == 403 && CuramErrorBody(response).codes.contains(CuramErrorBody.tokenCode)
  }

  // MARK: Requests

  /// All requests but the login's, images or JSON, are made here.
  private func request(
    _ method: HTTPMethod, _ url: HTTPURL, _ body: JSONValue?, _ session: CuramSession
  ) -> HTTPRequest {
    var request = HTTPRequest(
      method, url, headers: ["Accept": "application/json"], timeouts: settings.connection.timeouts,
      cookies: session.cookies)
    request.headers["Accept-Language"] = settings.language
    request.headers["Referer"] = settings.referer
    request.headers[Self.tokenHeader] = session.token
    if let body { request.setBody(json: body) }
    // The HTTP library would repeat a PUT by itself on a connection that was lost.
    request.isSentOnce = method != .get
    return request
  }

  private static let tokenHeader = "X-IBM-SPM-CSRF"

  // MARK: Sessions

  private func drop(_ stale: CuramSession) {
    if session === stale { session = nil }
  }

  private func currentSession() async throws(RPCError) -> CuramSession {
    guard !isStopped else { throw .pluginDown("\(failure.instance) is being stopped; try again when it runs.") }
    if let session { return session }
    let outcome = await flight.outcome { [self] in
      do throws(RPCError) {
        let made = try await login.session()
        // Others see it with its token; without one, where that is not to be had, it is still a session.
        defer { session = made }
        if wantsTokens { try await fetchToken(made) }
        return .success(made)
      } catch {
        return .failure(error)
      }
    }
    guard let outcome else { throw .cancelled() }
    return try outcome.get()
  }

  /// Gets a token for a session, once for all who want it; a site that has none to give leaves it without.
  private func fetchToken(_ session: CuramSession) async throws(RPCError) {
    let outcome = await session.tokenFetch.outcome { [self] in
      do throws(RPCError) {
        session.token = try await freshToken(session)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    guard let outcome else { throw .cancelled() }
    try outcome.get()
  }

  private func freshToken(_ session: CuramSession) async throws(RPCError) -> String? {
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await retrying.send(request(.get, settings.url.appending("v1", "csrf", "tokens"), nil, session))
    } catch {
      throw failure.error(error, mayRepeat: true)
    }
    if response.isSuccess, let token = response.headers[Self.tokenHeader], !token.isEmpty {
      hide(token)
      return token
    }
    if Self.isLoggedOut(response) { drop(session) }
    guard response.status == 404 else { throw failure.error(response) }
    wantsTokens = false
    return nil
  }

  /// Whatever the answer, the session is over for us.
  private func logOut() async {
    guard let session else { return }
    for path in settings.logouts {
      let url = settings.url.appending(String(path.dropFirst()))
      let response = try? await once.send(request(.post, url, .emptyObject, session))
      guard response?.status == 404 else { return }
    }
  }
}
