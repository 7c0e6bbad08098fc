internal import RingiKit

/// How an instance reaches the service with its credentials, which go to that one host alone.
///
/// No cookies are kept: requests of one session wait for each other at the service, and those that wait too long are
/// dropped there.
@Loop
struct ServiceNowLogin {
  /// An OAuth login.
  struct Tokens {
    let endpoint: TokenEndpoint
    let source: TokenSource
    /// Where a browser's login leaves its refresh token.
    let kept: KeptRefreshToken?
  }

  let client: any HTTPClient
  /// What is below: without credentials, and at rest when the instance asks for that.
  let service: any HTTPClient
  let tokens: Tokens?

  init(_ settings: ServiceNowSettings, context: ProviderContext) {
    let clock = context.clock
    let curl = LimitClient(settings.connection.client(), clock: clock) { Self.wait($0, clock: clock) }
    let service = RestingClient(curl, clock: clock)
    self.service = service
    switch settings.login {
    case .basic(let user, let password):
      tokens = nil
      client = BasicClient(service, user: user) { try await context.readSecret(password) }
    case .oauth(let clientID, let clientSecret, let scope, let grant):
      // The service takes the client's credentials in the form, and nowhere else.
      let readSecret: @Loop @Sendable () async throws -> String = {
        guard let clientSecret else { return "" }
        return try await context.readSecret(clientSecret)
      }
      // It is one server, and rests with it.
      let endpoint = TokenEndpoint(
        url: settings.url.appending("oauth_token.do"), clientID: clientID,
        authentication: clientSecret == nil ? .none : .body, timeouts: settings.connection.timeouts, client: service,
        clock: clock, clientSecret: readSecret)
      let store: KeptRefreshToken? =
        switch grant {
        case .refreshToken(let secret): KeptRefreshToken(secret, context: context)
        case .authorizationCode: KeptRefreshToken(nil, context: context)
        case .password, .clientCredentials: nil
        }
      let made = Self.grant(grant, endpoint, store, scope: scope, readSecret, context)
      let source = TokenSource(HidingGrant(made, hide: context.hide), clock: clock)
      var kept: KeptRefreshToken?
      if case .authorizationCode = grant { kept = store }
      tokens = Tokens(endpoint: endpoint, source: source, kept: kept)
      client = AuthorizingClient(GuestClient(service), tokens: source)
    }
  }

  /// What fetches tokens; with credentials that were refused there is no other try.
  private static func grant(
    _ grant: ServiceNowSettings.Grant, _ endpoint: TokenEndpoint, _ store: KeptRefreshToken?, scope: String?,
    _ readSecret: @escaping @Loop @Sendable () async throws -> String, _ context: ProviderContext
  ) -> any TokenGrant {
    if let store {
      return StandingRefusal(RefreshToken(endpoint, store: store, clock: context.clock)) {
        // Of a secret that can't be read the request itself tells.
        () async throws(TokenError) in [try await store.load(), try? await readSecret()]
      }
    }
    guard case .password(let user, let password) = grant else { return ClientCredentials(endpoint, scope: scope) }
    let readPassword: @Loop @Sendable () async throws -> String = { try await context.readSecret(password) }
    return StandingRefusal(PasswordCredentials(endpoint, user: user, scope: scope, password: readPassword)) {
      () async throws(TokenError) in [try? await readPassword(), try? await readSecret()]
    }
  }

  /// Limits are per hour, so no wait is longer.
  private static let longestWait: Int64 = 3600

  /// The seconds until the moment that a refusal for too many requests tells.
  private static func wait(_ response: HTTPResponse, clock: any LoopClock) -> Int64? {
    guard let reset = response.headers["X-RateLimit-Reset"].flatMap({ UInt32($0) }) else { return nil }
    // The moment is one of the server's clock, as is the answer's date.
    let sent = response.headers["Date"].flatMap { Timestamp(httpDate: $0, now: clock.now) } ?? clock.now
    return min(max(Int64(reset) - sent.seconds, 0), longestWait)
  }
}
