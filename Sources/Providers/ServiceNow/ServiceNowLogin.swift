internal import RingiKit

/// How an instance reaches the service with its credentials, which go to that one host alone.
///
/// No cookies are kept: requests of one session wait for each other at the service, and those that wait too long are
/// dropped there.
@Loop
struct ServiceNowLogin {
  let client: any HTTPClient
  /// The token of an OAuth login.
  let tokens: TokenSource?

  init(_ settings: ServiceNowSettings, context: ProviderContext) {
    let clock = context.clock
    let curl = RateLimitClient(
      CurlClient(tls: settings.connection.tls, userAgent: "Ringi/\(Version.current)"), clock: clock)
    let service = RestingClient(curl, clock: clock)
    switch settings.login {
    case .basic(let user, let password):
      tokens = nil
      client = BasicClient(service, user: user) { try await context.readSecret(password) }
    case .oauth(let clientID, let clientSecret, let scope, let grant):
      // The service takes the client's credentials in the form, and nowhere else.
      let endpoint = TokenEndpoint(
        url: settings.url.appending("oauth_token.do"), clientID: clientID, authentication: .body,
        client: RestingClient(curl, clock: clock), clock: clock
      ) { try await context.readSecret(clientSecret) }
      let made: any TokenGrant =
        switch grant {
        case .password(let user, let password):
          PasswordCredentials(endpoint, user: user, scope: scope) { try await context.readSecret(password) }
        case .clientCredentials: ClientCredentials(endpoint, scope: scope)
        case .refreshToken(let secret):
          RefreshToken(endpoint, store: KeptRefreshToken(secret, context: context), clock: clock)
        }
      let tokens = TokenSource(HidingGrant(made, hide: context.hide), clock: clock)
      self.tokens = tokens
      client = AuthorizingClient(GuestClient(service), tokens: tokens)
    }
  }
}
