extension SAPControl {
  /// Adds or changes a user.
  package func setUser(_ user: SAPUser) { with { $0.users[user.id] = user } }

  /// Adds or changes a client; tokens that it has keep the scopes they were given.
  package func setClient(_ client: SAPClient) { with { $0.clients[client.id] = client } }

  /// Lets `/oauth/authorize` take somebody for logged in; nil shows the login page.
  package func logIn(_ user: String?) { with { $0.loggedInUser = user } }

  /// Ends all sessions of the Neo environment.
  package func expireSessions() { with { $0.sessions.expireAll() } }

  /// A refresh token as somebody gets it who logs in to the standard client; nil for a user who is not there.
  package func makeRefreshToken(for user: String) -> String? {
    with { state in
      guard let client = state.clients[SAPClient.standardID], state.users[user] != nil else { return nil }
      return state.tokens.makeRefresh(for: SAPTokens.Grant(client: client.id, user: user, scopes: client.scopes))
    }
  }

  /// Makes all access tokens invalid, and the refresh tokens too if asked for.
  package func revokeTokens(refreshTokensToo: Bool = false) {
    with { state in
      state.tokens.revokeAccess()
      if refreshTokensToo { state.tokens.revokeRefresh() }
    }
  }
}
