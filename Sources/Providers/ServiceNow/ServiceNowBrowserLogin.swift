internal import RingiKit

/// A person's login with a browser: a code with a proof key, exchanged for an access token and a refresh token.
@Loop
final class ServiceNowBrowserLogin: BrowserLogin {
  private let url: HTTPURL
  private let clientID: String
  private let scope: String?
  private let tokens: ServiceNowLogin.Tokens
  private let kept: KeptRefreshToken
  private let context: ProviderContext
  private let approvals: ServiceNowApprovals
  let redirect: String

  /// - Returns: nil where the settings have another way to log in.
  init?(_ settings: ServiceNowSettings, _ approvals: ServiceNowApprovals, context: ProviderContext) {
    guard case .oauth(let clientID, _, let scope, .authorizationCode(let redirect)) = settings.login,
      let tokens = approvals.api.tokens, let kept = tokens.kept
    else { return nil }
    (url, self.clientID, self.scope, self.redirect) = (settings.url, clientID, scope, redirect.text)
    (self.tokens, self.kept, self.context, self.approvals) = (tokens, kept, context, approvals)
  }

  func page(state: String, challenge: String) -> HTTPURL {
    let query = [
      ("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirect), ("state", state),
      ("code_challenge", challenge), ("code_challenge_method", "S256"),
    ]
    return url.appending("oauth_auth.do").adding(query: query + (scope.map { [("scope", $0)] } ?? []))
  }

  func logIn(code: String, verifier: String) async throws -> String {
    do throws(TokenError) {
      let answer = try await tokens.endpoint.exchange(code: code, redirect: redirect, verifier: verifier)
      context.hide(answer.token.value)
      try await tokens.source.replace(with: answer.token) { [kept] () async throws(TokenError) in
        try await kept.begin(with: answer.refreshToken)
      }
    } catch {
      throw approvals.api.failure.error(ofLogin: error)
    }
    return (try? await approvals.nameOfUser()) ?? "somebody whom the instance does not name"
  }
}
