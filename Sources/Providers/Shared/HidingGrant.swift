internal import RingiKit

/// Keeps each token that a grant obtains out of what the agent says.
@Loop
final class HidingGrant: TokenGrant {
  private let grant: any TokenGrant
  private let hide: @Loop @Sendable (String) -> Void

  init(_ grant: any TokenGrant, hide: @escaping @Loop @Sendable (String) -> Void) {
    self.grant = grant
    self.hide = hide
  }

  func fetch() async throws(TokenError) -> AccessToken {
    let token = try await grant.fetch()
    hide(token.value)
    return token
  }
}
