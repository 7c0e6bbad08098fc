internal import RingiKit

/// How an instance reaches the service with its credentials; every instance has a login of its own.
@Loop
struct SAPLogin {
  let client: any HTTPClient
  /// The token of an OAuth login.
  let tokens: TokenSource?

  init(_ settings: SAPSettings, context: ProviderContext) {
    let clock = context.clock
    let curl = settings.connection.client()
    let service = RestingClient(curl, clock: clock)
    switch settings.login {
    case .basic(let user, let password):
      tokens = nil
      client = NeoClient(
        service, tokenURL: settings.url.appending("v1", "xsrf-token"), user: user, hide: context.hide, clock: clock
      ) { try await context.readSecret(password) }
    case .oauth(let tokenURL, let clientID, let clientSecret, let refreshToken):
      let endpoint = TokenEndpoint(
        url: tokenURL, clientID: clientID, timeouts: settings.connection.timeouts,
        client: RestingClient(curl, clock: clock), clock: clock
      ) { try await context.readSecret(clientSecret) }
      let grant: any TokenGrant =
        if let refreshToken {
          RefreshToken(endpoint, store: KeptRefreshToken(refreshToken, context: context), clock: clock)
        } else {
          ClientCredentials(endpoint)
        }
      let tokens = TokenSource(HidingGrant(grant, hide: context.hide), clock: clock)
      self.tokens = tokens
      client = AuthorizingClient(service, tokens: tokens)
    }
  }
}
