internal import RingiKit

/// A refusal that stands until the credentials are others: with the same ones there is no other try.
///
/// The service has one answer for credentials that are out of date and for whatever else is wrong, and somebody has to
/// see to them in any case.
@Loop
final class StandingRefusal: TokenGrant {
  private let grant: any TokenGrant
  private let refused: RefusedCredentials

  /// Wraps a grant.
  ///
  /// - Parameters:
  ///   - grant: What is tried.
  ///   - credentials: All that it would send.
  init(_ grant: any TokenGrant, of credentials: @escaping @Loop @Sendable () async throws(TokenError) -> [String?]) {
    self.grant = grant
    refused = RefusedCredentials(credentials)
  }

  func fetch() async throws(TokenError) -> AccessToken {
    try await refused.attempt { [grant] () async throws(TokenError) in try await grant.fetch() }
  }
}
