internal import RingiKit

/// Logs in by a request that sets cookies, and sends them along; one login for however many requests need it.
@Loop
final class CookieLoginClient: HTTPClient {
  private let base: any HTTPClient
  private let logIn: @Loop @Sendable (CookieJar) async throws(TokenError) -> Void
  private let flight = SingleFlight<CookieJar, TokenError>()
  private var session: CookieJar?

  /// Wraps a client.
  ///
  /// - Parameters:
  ///   - base: What sends.
  ///   - logIn: Sends the login, with a jar of its own.
  init(_ base: any HTTPClient, logIn: @escaping @Loop @Sendable (CookieJar) async throws(TokenError) -> Void) {
    self.base = base
    self.logIn = logIn
  }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let session = try await currentSession(for: request)
    let response = try await base.send(Self.with(session, request))
    // A login that has ended shows as a refusal or as the login's page. A write that got a page may have been taken.
    guard response.status == 401 || (request.method == .get && response.status < 400 && response.isPage) else {
      return response
    }
    if self.session === session { self.session = nil }
    return try await base.send(Self.with(currentSession(for: request), request))
  }

  private static func with(_ session: CookieJar, _ request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.cookies = session
    return request
  }

  private func currentSession(for request: HTTPRequest) async throws(HTTPError) -> CookieJar {
    if let session { return session }
    let outcome = await flight.outcome { [self] in
      let jar = CookieJar()
      do throws(TokenError) {
        try await logIn(jar)
        session = jar
        return .success(jar)
      } catch {
        return .failure(error)
      }
    }
    switch outcome {
    case .success(let jar): return jar
    case .failure(let error): throw HTTPError(.token(error), of: request)
    case nil: throw HTTPError(.cancelled, of: request)
    }
  }
}
