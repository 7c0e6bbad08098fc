internal import RingiKit

/// The login of a list backend: a code, exchanged for a token that does not expire.
@Loop
final class TaskListLogin: BrowserLogin {
  /// What differs from backend to backend.
  enum Style {
    /// JSON, and nothing beyond what is documented.
    case wunderlist
    /// A form, scopes with commas between them, and a proof key.
    case todoist(scope: String)
  }

  private let settings: TaskListLoginSettings
  private let style: Style
  private let token: TaskListToken
  private let context: ProviderContext
  private let timeouts: HTTPRequest.Timeouts
  private let client: any HTTPClient
  /// Tells whose token it is.
  private let user: @Loop () async throws -> String?

  init(
    _ settings: TaskListLoginSettings, _ style: Style, token: TaskListToken, context: ProviderContext,
    timeouts: HTTPRequest.Timeouts, client: any HTTPClient, user: @escaping @Loop () async throws -> String?
  ) {
    (self.settings, self.style, self.token) = (settings, style, token)
    (self.context, self.timeouts, self.client, self.user) = (context, timeouts, client, user)
  }

  var redirect: String { settings.redirect.text }

  func page(state: String, challenge: String) throws -> HTTPURL {
    guard !token.isInSettings else {
      throw RPCError.conflict(
        "\(context.instance): the token is in the settings; take it out there to log in with a browser.")
    }
    let common = [("client_id", settings.clientID), ("redirect_uri", redirect), ("state", state)]
    let more: [(String, String)] =
      switch style {
      case .wunderlist: []
      case .todoist(let scope):
        [("scope", scope), ("code_challenge", challenge), ("code_challenge_method", "S256")]
      }
    return settings.oauth.appending("authorize").adding(query: common + more)
  }

  func logIn(code: String, verifier: String) async throws -> String {
    let secret = try await context.readSecret(settings.clientSecret)
    var request = HTTPRequest(
      .post, settings.oauth.appending("access_token"), headers: ["Accept": "application/json"], timeouts: timeouts,
      maxResponseBytes: 1 << 20)
    switch style {
    case .wunderlist:
      request.setBody(json: [
        "client_id": JSONValue(settings.clientID), "client_secret": JSONValue(secret), "code": JSONValue(code),
      ])
    case .todoist:
      request.setBody(form: [
        ("client_id", settings.clientID), ("client_secret", secret), ("code", code), ("redirect_uri", redirect),
        ("code_verifier", verifier),
      ])
    }
    try await token.keep(try await exchange(request))
    return (try? await user()) ?? "somebody whom the service does not name"
  }

  /// Sent once: a code is worth nothing the second time.
  private func exchange(_ request: HTTPRequest) async throws -> String {
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await client.send(request)
    } catch {
      throw RPCError.noAnswer(error, context.instance, mayRepeat: false)
    }
    let json = try? response.json()
    if response.isSuccess, let token = json?["access_token"]?.string, TokenEndpoint.isPlain(token) { return token }
    switch response.status {
    case 429, 500...:
      throw RPCError.unavailable(
        "\(context.instance): the login server is not available (status \(response.status)); log in again later.",
        isRetryable: false)
    case 400...499:
      throw RPCError.loginRequired(
        provider: context.instance,
        message:
          "\(context.instance): the login server refused the code (status \(response.status)\(Self.code(json))); check clientId, clientSecret and redirectUri, and log in again."
      )
    default:
      throw RPCError.backendError(
        provider: context.instance, status: response.status,
        message: "\(context.instance): the login server's answer has no token; check oauthUrl.")
    }
  }

  /// The server's word for it.
  private static func code(_ json: JSONValue?) -> String {
    let code = json?["error"]?.string ?? json?["error"]?["type"]?.string
    return code.flatMap(TokenEndpoint.code).map { ", \($0)" } ?? ""
  }
}
