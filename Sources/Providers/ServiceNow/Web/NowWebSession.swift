internal import RingiKit

/// The instance's web session: begun by a token, carried on by cookies, and begun again when it has ended.
///
/// Its cookies are its own: those of the Table API begin no session for pages. Requests go one at a time, but for polls
/// of the message bus, so that a renewal, too, happens once however many wait.
@Loop
final class NowWebSession {
  private enum State { case none, live, failed }

  /// Where redirects led to.
  private enum Landing {
    case page(HTTPResponse)
    case login
    case elsewhere(HTTPURL)
  }

  /// The most redirects in a row.
  private static let hops = 10
  /// How long the message bus may hold a poll open: twice the half minute that is usual for its protocol, which is an
  /// assumption, since the instance documents none.
  private static let pollPatience = Duration.seconds(60)

  /// Told when the session that answers belong to is none any more.
  var onEnd: @Loop () -> Void = {}

  private let origin: HTTPURL.Origin
  private let tokens: TokenSource
  private let client: any HTTPClient
  private let failure: ServiceNowFailure
  /// The service runs the requests of a session one after another, and drops those that wait too long there.
  private let turns = NowWebTurns(width: 1, limit: 64)
  /// Polls of the message bus: an open page has one all the time, and there are at most as many pages.
  private let polls = NowWebTurns(width: NowWebPages.limit, limit: 8)
  private var cookies = CookieJar()
  private var state = State.none
  /// The login that the session belongs to.
  private var login = 0

  init(_ settings: ServiceNowSettings, tokens: TokenSource, client: any HTTPClient, failure: ServiceNowFailure) {
    origin = settings.url.origin
    self.tokens = tokens
    self.client = client
    self.failure = failure
  }

  /// Forgets the session.
  func end() {
    // Another jar, so that answers under way bring nothing back.
    cookies = CookieJar()
    state = .none
    onEnd()
  }

  /// Sends a page's request, in its turn.
  ///
  /// A request that reads is repeated once when the session turns out to have ended; one that changes something never.
  ///
  /// - Parameters:
  ///   - request: Without cookies and authorization, on the instance's own origin.
  ///   - isNavigation: Whether it loads a page, which can begin a session by itself.
  ///   - page: The last known page, which begins a session for all other requests.
  ///   - onRenewal: Told that a session was begun again after one had ended.
  /// - Returns: The answer, after redirects.
  /// - Throws: `NowWebProblem`; `CancellationError`.
  func send(
    _ request: HTTPRequest, isNavigation: Bool, page: HTTPURL, onRenewal: @Loop () -> Void = {}
  ) async throws -> HTTPResponse {
    let isRead = request.method.isSafe
    do {
      if NowWebSigns.isPoll(request.url) {
        return try await polls.run { [self] in try await ofOneLogin { try await poll(request) } }
      }
      return try await turns.run { [self] in
        guard !isRead else {
          return try await ofOneLogin {
            try await read(request, isNavigation: isNavigation, page: page, onRenewal: onRenewal)
          }
        }
        checkLogin()
        // Once it is sent, nobody's leaving stops it: half a change would be worse.
        return try await Loop.task { try await self.write(request) }.value
      }
    } catch is NowWebTurns.Full {
      throw NowWebProblem.busy
    }
  }

  /// Forgets the session if somebody has logged in since it began, who may be somebody else.
  func checkLogin() {
    guard login != tokens.replacements else { return }
    end()
    login = tokens.replacements
  }

  /// Does the work, whose answer is given to nobody when somebody has logged in meanwhile.
  private func ofOneLogin(_ work: @Loop () async throws -> HTTPResponse) async throws -> HTTPResponse {
    checkLogin()
    let login = login
    let response = try await work()
    guard login == tokens.replacements else { throw NowWebProblem.replaced }
    return response
  }

  // MARK: Reading and writing

  private func read(
    _ request: HTTPRequest, isNavigation: Bool, page: HTTPURL, onRenewal: @Loop () -> Void
  ) async throws -> HTTPResponse {
    let start = isNavigation && !NowWebSigns.isPassedBy(request.url) ? request : Self.page(page, like: request)
    var hasRenewed = false
    if state != .live {
      if state == .failed, !isNavigation { throw NowWebProblem.noLogin("the last login failed. Load the page again.") }
      let first = try await begin(with: start)
      hasRenewed = true
      if isNavigation { return first }
    }
    let landing = try await follow(request)
    switch landing {
    // A picture may well be another server's; a page that leads there may be on the way to a login.
    case .login where !hasRenewed, .elsewhere where isNavigation: break
    default: return try self.page(of: landing)
    }
    end()
    let again = try await begin(with: start)
    onRenewal()
    if isNavigation { return again }
    return try self.page(of: try await follow(request))
  }

  private func write(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard state == .live else { throw NowWebProblem.notSent }
    var request = request
    (request.isSentOnce, request.cookies) = (true, cookies)
    let login = login
    let answer = try await answer(to: request)
    if isRefusal(answer, of: request) {
      end()
      throw NowWebProblem.notSent
    }
    // The change may have been made by now, whatever comes after.
    do {
      let landing = try await landing(of: request, answer)
      if case .login = landing { end() }
      let response = try page(of: landing)
      guard login == tokens.replacements else { throw NowWebProblem.replaced }
      return response
    } catch let problem as NowWebProblem {
      throw problem.afterChange
    }
  }

  /// Whether the first answer to a change says that nobody is logged in for it.
  private func isRefusal(_ answer: HTTPResponse, of request: HTTPRequest) -> Bool {
    if answer.status == 401 { return NowWebSigns.isLogin(answer) }
    guard let next = try? answer.redirect(of: request) else { return false }
    return next.url.origin == origin && NowWebSigns.isLogin(next.url)
  }

  /// Sends a poll of the message bus, which neither begins a session nor ends one.
  private func poll(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard state == .live else { throw NowWebProblem.noLogin("the session has ended. Load the page again.") }
    var request = request
    request.timeouts.idle = max(request.timeouts.idle, Self.pollPatience)
    request.timeouts.total = max(request.timeouts.total, Self.pollPatience * 2)
    return try page(of: try await follow(request))
  }

  private func page(of landing: Landing) throws(NowWebProblem) -> HTTPResponse {
    switch landing {
    case .page(let response): return response
    case .elsewhere(let url): throw .elsewhere(url)
    case .login: throw .noLogin("it asks for a login again at once.")
    }
  }

  /// A request for a page with what `request` says of its sender.
  private static func page(_ url: HTTPURL, like request: HTTPRequest) -> HTTPRequest {
    var page = HTTPRequest(.get, url, headers: ["Accept": "text/html,*/*;q=0.8"], timeouts: request.timeouts)
    for name in ["Accept-Language", "User-Agent"] { page.headers[name] = request.headers[name] }
    return page
  }

  // MARK: Beginning

  /// Begins a session with a page and a token, and with a newer token when that one is refused.
  private func begin(with request: HTTPRequest) async throws -> HTTPResponse {
    var refused: AccessToken?
    while true {
      let token = try await token()
      if token.value == refused?.value { break }
      let jar = CookieJar()
      cookies = jar
      let landing = try await follow(request, token: token)
      // Else it would be the session of whoever has logged in meanwhile.
      guard cookies === jar, login == tokens.replacements else { throw NowWebProblem.replaced }
      switch landing {
      case .page(let response) where response.status != 401:
        if ServiceNowFailure.isAsleep(response) { throw NowWebProblem.asleep }
        state = .live
        return response
      case .elsewhere(let url):
        state = cookies.isEmpty ? .none : .live
        throw NowWebProblem.elsewhere(url)
      case .page, .login: break
      }
      tokens.drop(token)
      if refused != nil { break }
      refused = token
    }
    throw failed("\(origin.host) asks for a login although a token was sent; the login needs a user who may see pages.")
  }

  private func token() async throws -> AccessToken {
    do throws(TokenError) {
      return try await tokens.token()
    } catch {
      if case .transport(let cause) = error, cause.kind == .cancelled { throw CancellationError() }
      throw failed(failure.error(HTTPError(.token(error)), mayRepeat: true).message)
    }
  }

  private func failed(_ why: String) -> NowWebProblem {
    cookies = CookieJar()
    state = .failed
    return .noLogin(why)
  }

  // MARK: Sending

  /// Sends a request and goes where redirects lead, within the instance.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - token: Goes with the first request, and with no other.
  /// - Returns: Where that ends.
  /// - Throws: `NowWebProblem`; `CancellationError`.
  private func follow(_ request: HTTPRequest, token: AccessToken? = nil) async throws -> Landing {
    var request = request
    request.cookies = cookies
    if let token {
      request.headers["Authorization"] = "Bearer \(token.value)"
      // It belongs to cookies, without which it is worth nothing.
      request.headers["X-UserToken"] = nil
    }
    guard request.url.origin == origin else { return .elsewhere(request.url) }
    return try await landing(of: request, try await answer(to: request))
  }

  /// Goes where the answer to a request leads, within the instance.
  private func landing(of first: HTTPRequest, _ answer: HTTPResponse) async throws -> Landing {
    var (request, response) = (first, answer)
    var visits: [String: Int] = [:]
    while true {
      // Twice is no circle yet: a page may send to itself once it has set its cookies.
      visits["\(request.method.rawValue) \(request.url.text)", default: 0] += 1
      let next: HTTPRequest?
      do throws(HTTPError) {
        next = try response.redirect(of: request)
      } catch {
        throw NowWebProblem.noAnswer(error)
      }
      guard let next else { return NowWebSigns.isLogin(response) ? .login : .page(response) }
      guard next.url.origin == origin else { return NowWebSigns.isLogin(request.url) ? .login : .elsewhere(next.url) }
      request = next
      request.headers["Authorization"] = nil
      let visited = visits["\(request.method.rawValue) \(request.url.text)"] ?? 0
      guard visits.values.reduce(0, +) <= Self.hops, visited < 2 else {
        if NowWebSigns.isLogin(request.url) { return .login }
        throw NowWebProblem.circle(request.url)
      }
      response = try await self.answer(to: request)
    }
  }

  private func answer(to request: HTTPRequest) async throws -> HTTPResponse {
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await client.send(request)
    } catch {
      if error.kind == .cancelled { throw CancellationError() }
      throw error.requestWasSent && request.isSentOnce ? NowWebProblem.unknown("\(error)", nil) : .noAnswer(error)
    }
    if response.status == 202 { throw NowWebProblem.dropped }
    return response
  }
}

extension HTTPResponse {
  /// The request that a redirect asks for; nil for an answer that is none.
  ///
  /// - Throws: `HTTPError` for an address that makes no sense.
  fileprivate func redirect(of request: HTTPRequest) throws(HTTPError) -> HTTPRequest? {
    guard let location = headers["Location"], [301, 302, 303, 307, 308].contains(status) else { return nil }
    let target = try request.url.resolving(location)
    if target.origin != request.url.origin { return HTTPRequest(.get, target) }
    var next = try request.redirected(by: self)
    // Without a user's name, whose password would go along.
    next?.url = target.withoutUser
    // What was asked for once is asked for once; where it leads to is another thing.
    if next?.method == .get { next?.isSentOnce = false }
    return next
  }
}
