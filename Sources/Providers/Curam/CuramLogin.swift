internal import RingiKit

/// The login form of an application server, `j_security_check`.
@Loop
final class CuramLogin {
  private let settings: CuramSettings
  private let client: any HTTPClient
  private let failure: CuramFailure
  private let context: ProviderContext
  /// A password that was refused, with the refusal: sent again and again it would lock the account.
  private var refused: (password: String, error: RPCError)?

  /// How often a good login may send the browser on.
  private static let hops = 5

  init(_ settings: CuramSettings, client: any HTTPClient, failure: CuramFailure, context: ProviderContext) {
    self.settings = settings
    self.client = client
    self.failure = failure
    self.context = context
  }

  /// Logs in, with cookies of its own.
  ///
  /// - Returns: The session.
  /// - Throws: `RPCError`; a password that the service has refused is not sent again.
  func session() async throws(RPCError) -> CuramSession {
    let password = try await password()
    if let refused, refused.password == password { throw refused.error }
    refused = nil
    let session = CuramSession()
    let response = try await finalAnswer(password, session)
    if response.status == 200, session.cookies.pairs.contains(where: { settings.authCookies.contains($0.name) }) {
      return session
    }
    let error = refusal(response)
    if Self.isAboutPassword(response) { refused = (password, error) }
    throw error
  }

  /// Whether the answer to a login may be about the password, so that it counts as a try; what a service that is just
  /// starting answers does not.
  private static func isAboutPassword(_ response: HTTPResponse) -> Bool {
    switch response.status {
    case 404, 405, 408, 415, 425, 429: false
    case 403: !CuramErrorBody(response).codes.contains(CuramErrorBody.refererCode)
    case 200, 400...499: true
    default: false
    }
  }

  private func password() async throws(RPCError) -> String {
    do {
      return try await context.readSecret(settings.password)
    } catch let error as RPCError {
      throw error
    } catch {
      throw .loginRequired(provider: failure.instance, message: "\(failure.instance): \(error)")
    }
  }

  /// What the redirects after the login lead to; the cookies may come on any of the answers.
  private func finalAnswer(_ password: String, _ session: CuramSession) async throws(RPCError) -> HTTPResponse {
    var request = request(.post, settings.url.appending("j_security_check"), session)
    request.setBody(
      form: [("j_username", settings.user), ("j_password", password)] + settings.loginFields)
    var response = try await send(request)
    for _ in 0..<Self.hops {
      guard let next = try next(after: response) else { return response }
      response = try await send(self.request(.get, next, session))
    }
    guard try next(after: response) == nil else {
      throw failure.backend("sends the login from page to page, more than \(Self.hops) times; check url", response)
    }
    return response
  }

  /// Where a redirect leads within the installation; neither password nor cookies go elsewhere.
  private func next(after response: HTTPResponse) throws(RPCError) -> HTTPURL? {
    guard (300...399).contains(response.status), let location = response.headers["Location"] else { return nil }
    guard let next = try? response.url.resolving(location) else {
      throw failure.backend("sends the login to an address that is none; check url", response)
    }
    guard next.origin == settings.url.origin else {
      throw failure.backend(
        "sends the login to another server, \(next.origin.scheme)://\(next.origin.host), which gets nothing from here; "
          + "have the site exclude j_security_check from its single sign-on, or correct url", response)
    }
    // They would repeat the form with the password in it.
    guard response.status != 307, response.status != 308 else {
      throw failure.backend("sends the login's form elsewhere (status \(response.status)); check url", response)
    }
    return next
  }

  private func request(_ method: HTTPMethod, _ url: HTTPURL, _ session: CuramSession) -> HTTPRequest {
    var request = HTTPRequest(
      method, url, timeouts: settings.connection.timeouts, cookies: session.cookies)
    request.headers["Accept-Language"] = settings.language
    request.headers["Referer"] = settings.referer
    return request
  }

  private func send(_ request: HTTPRequest) async throws(RPCError) -> HTTPResponse {
    do throws(HTTPError) {
      return try await client.send(request)
    } catch {
      // A login may always be tried again.
      throw failure.error(error, mayRepeat: true)
    }
  }

  private func refusal(_ response: HTTPResponse) -> RPCError {
    let again = "; they are not sent again before they change or the plugin is restarted"
    switch response.status {
    case 200:
      return .loginRequired(
        provider: failure.instance,
        message:
          "\(failure.instance): the login was answered without any of the cookies \(settings.authCookies.sorted().joined(separator: ", ")); check url, which mostly ends in /Rest, authCookies, user and password\(again)."
      )
    case 408, 425, 429, 500...: return failure.error(response)
    case 400...499 where Self.isAboutPassword(response):
      return .loginRequired(
        provider: failure.instance,
        message:
          "\(failure.instance): the service refuses user and password (status \(response.status))\(CuramErrorBody(response).reason)\(again)."
      )
    case 403: return failure.error(response)
    default: return failure.backend("answers the login with status \(response.status); check url", response)
    }
  }
}
