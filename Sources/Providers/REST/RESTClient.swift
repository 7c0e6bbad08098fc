internal import RingiKit

/// What reaches the service with an instance's credentials, and no other server with them.
@Loop
struct RESTClient {
  let client: any HTTPClient
  /// The tokens of the login, where there are any.
  let tokens: TokenSource?

  init(_ settings: RESTSettings, context: ProviderContext) {
    let curl = settings.connection.client()
    let clock = context.clock
    let resting = RestingClient(CookieHidingClient(curl, hide: context.hide), clock: clock)
    let service = SameOriginClient(resting, origin: settings.url.origin)
    let timeouts = settings.connection.timeouts
    func authorized(
      by grant: any TokenGrant, header: String = "Authorization", scheme: String?
    ) -> (any HTTPClient, TokenSource) {
      let tokens = TokenSource(HidingGrant(grant, hide: context.hide), clock: clock)
      return (AuthorizingClient(service, tokens: tokens, header: header, scheme: scheme), tokens)
    }
    switch settings.auth {
    case .none: (client, tokens) = (service, nil)
    case .token(let secret, let header, let scheme):
      let grant = SecretGrant { try await context.readSecret(secret) }
      (client, tokens) = authorized(by: grant, header: header, scheme: scheme)
    case .basic(let user, let password):
      let grant = SecretGrant {
        Base64.encode("\(user):\(try await context.readSecret(password))".utf8)
      }
      (client, tokens) = authorized(by: grant, scheme: "Basic")
    case .oauth(let url, let clientID, let clientSecret, let scope, let authentication):
      // One server rests as a whole.
      let isSame = url.origin == settings.url.origin
      let endpoint = TokenEndpoint(
        url: url, clientID: clientID, authentication: authentication, timeouts: timeouts,
        client: isSame ? resting : RestingClient(curl, clock: clock), clock: clock
      ) { try await context.readSecret(clientSecret) }
      let grant = StandingRefusal(ClientCredentials(endpoint, scope: scope)) { () async throws(TokenError) in
        [try? await context.readSecret(clientSecret)]
      }
      (client, tokens) = authorized(by: grant, scheme: "Bearer")
    case .login(let login, let token, let expiresAt, let header, let scheme):
      let grant = StandingRefusal(
        LoginGrant(login, service, context, token: token, expiresAt: expiresAt, timeouts: timeouts)
      ) { () async throws(TokenError) in await login.credentials(context) }
      (client, tokens) = authorized(by: grant, header: header, scheme: scheme)
    case .cookie(let login, let cookie):
      tokens = nil
      client = CookieLoginClient(
        service,
        login: CookieLogin(login, cookie: cookie, client: service, context: context, timeouts: timeouts) {
          curl.remember($0, to: $1)
        })
    }
  }
}
