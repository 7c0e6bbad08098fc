internal import RingiKit

/// A login by a request whose answer sets cookies.
@Loop
final class CookieLogin {
  private let login: RESTLogin
  /// The cookie that a good login sets, where the settings name it.
  private let cookie: String?
  private let client: any HTTPClient
  private let context: ProviderContext
  private let timeouts: HTTPRequest.Timeouts
  private let note: @Loop @Sendable (HTTPResponse, HTTPRequest) -> Void
  private let refused: RefusedCredentials
  /// What the last login sent.
  private var last: [String?]?

  /// Keeps what a login takes; nothing is sent yet.
  ///
  /// - Parameters:
  ///   - login: The request.
  ///   - cookie: The cookie that a good login sets; nil judges by the answer.
  ///   - client: What sends.
  ///   - context: Reads the secrets.
  ///   - timeouts: How long the request may take.
  ///   - note: Told of an answer that is a refusal whatever its status.
  init(
    _ login: RESTLogin, cookie: String?, client: any HTTPClient, context: ProviderContext,
    timeouts: HTTPRequest.Timeouts, note: @escaping @Loop @Sendable (HTTPResponse, HTTPRequest) -> Void
  ) {
    self.login = login
    self.cookie = cookie
    self.client = client
    self.context = context
    self.timeouts = timeouts
    self.note = note
    refused = RefusedCredentials { () async throws(TokenError) in await login.credentials(context) }
  }

  /// Logs in, with a jar of its own.
  ///
  /// - Returns: The session's cookies.
  /// - Throws: `TokenError`; credentials that were refused are not sent again.
  func session() async throws(TokenError) -> CookieJar {
    try await refused.attempt { () async throws(TokenError) in try await begin() }
  }

  /// Whether another login would send what the last one sent.
  func wouldRepeat() async -> Bool { await login.credentials(context) == last }

  private func begin() async throws(TokenError) -> CookieJar {
    let jar = CookieJar()
    last = await login.credentials(context)
    var request = try await login.request(context, timeouts)
    request.cookies = jar
    let response = try await client.response(to: request, clock: context.clock)
    guard isGood(response, jar) else {
      note(response, request)
      throw .refused(status: response.status, code: nil)
    }
    return jar
  }

  /// A form's login succeeds with a redirect, any other without a page.
  ///
  /// What failed shows the form again, or leads back to it. A cookie alone says nothing: most services give one to everybody.
  private func isGood(_ response: HTTPResponse, _ jar: CookieJar) -> Bool {
    if let cookie { return jar.pairs.contains { $0.name == cookie && !$0.value.isEmpty } }
    guard response.status >= 300 || !response.isPage, !jar.isEmpty else { return false }
    guard let location = response.headers["Location"], let target = try? response.url.resolving(location) else {
      return true
    }
    return target.withoutQuery != response.url.withoutQuery
  }
}

extension HTTPURL {
  /// What it names, whatever its query and with or without a slash at the end.
  fileprivate var withoutQuery: String { "\(appending(encodedPath: ""))" }
}
