internal import RingiKit

/// Logs in by a request that sets cookies, and sends them along; one login for however many requests need it.
@Loop
final class CookieLoginClient: HTTPClient {
  private final class Session {
    let cookies: CookieJar
    /// Whether it has let anybody in.
    var isProven = false

    init(_ cookies: CookieJar) { self.cookies = cookies }
  }

  private let base: any HTTPClient
  private let login: CookieLogin
  private let flight = SingleFlight<CookieJar, TokenError>()
  private var session: Session?

  /// Wraps a client.
  ///
  /// - Parameters:
  ///   - base: What sends.
  ///   - login: What makes sessions.
  init(_ base: any HTTPClient, login: CookieLogin) {
    self.base = base
    self.login = login
  }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let session = try await currentSession(for: request)
    let response = try await send(request, in: session)
    guard Self.hasEnded(response, request) else { return response }
    // Some services give a session for wrong credentials, too: what never let anybody in is no reason for another login.
    if !session.isProven, await login.wouldRepeat() { return response }
    if self.session === session { self.session = nil }
    return try await send(request, in: currentSession(for: request))
  }

  private func send(_ request: HTTPRequest, in session: Session) async throws(HTTPError) -> HTTPResponse {
    var request = request
    request.cookies = session.cookies
    let response = try await base.send(request)
    if response.isSuccess, !response.isPage { session.isProven = true }
    return response
  }

  /// A login that has ended shows as a refusal or as the login's page.
  ///
  /// A write that got a page may have been taken.
  private static func hasEnded(_ response: HTTPResponse, _ request: HTTPRequest) -> Bool {
    response.status == 401 || (request.method == .get && response.status < 400 && response.isPage)
  }

  private func currentSession(for request: HTTPRequest) async throws(HTTPError) -> Session {
    if let session { return session }
    let outcome = await flight.outcome { [self] in
      do throws(TokenError) {
        let cookies = try await login.session()
        session = Session(cookies)
        return .success(cookies)
      } catch {
        return .failure(error)
      }
    }
    switch outcome {
    case .success(let cookies): return session ?? Session(cookies)
    case .failure(let error): throw HTTPError(.token(error), of: request)
    case nil: throw HTTPError(.cancelled, of: request)
    }
  }
}
