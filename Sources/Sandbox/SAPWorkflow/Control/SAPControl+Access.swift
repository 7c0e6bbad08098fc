extension SAPControl {
  /// Adds or changes a user.
  package func setUser(_ user: SAPUser) { with { $0.users[user.id] = user } }

  /// Adds or changes a client; tokens that it has keep the scopes they were given.
  package func setClient(_ client: SAPClient) { with { $0.clients[client.id] = client } }

  /// Lets `/oauth/authorize` take somebody for logged in; nil shows the login page.
  package func logIn(_ user: String?) { with { $0.loggedInUser = user } }

  /// Ends all sessions of the Neo environment.
  package func expireSessions() { with { $0.sessions.expireAll() } }

  /// Makes all access tokens invalid, and the refresh tokens too if asked for.
  package func revokeTokens(refreshTokensToo: Bool = false) {
    with { state in
      state.tokens.revokeAccess()
      if refreshTokensToo { state.tokens.revokeRefresh() }
    }
  }
}
