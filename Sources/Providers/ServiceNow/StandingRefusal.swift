internal import RingiKit

/// A refusal that stands until the credentials are others: with the same ones there is no other try.
///
/// The service has one answer for a refresh token that is out of date and for whatever else is wrong, and somebody has to
/// log in again in any case.
@Loop
final class StandingRefusal: TokenGrant {
  private let grant: any TokenGrant
  private let credentials: @Loop @Sendable () async throws(TokenError) -> [String?]
  private var refusal: (of: [String?], error: TokenError)?

  /// Wraps a grant.
  ///
  /// - Parameters:
  ///   - grant: What is tried.
  ///   - credentials: All that it would send.
  init(_ grant: any TokenGrant, of credentials: @escaping @Loop @Sendable () async throws(TokenError) -> [String?]) {
    self.grant = grant
    self.credentials = credentials
  }

  func fetch() async throws(TokenError) -> AccessToken {
    // Under a trace the client below remembers, and notes it there.
    if HTTPTrace.current == nil, let refusal, refusal.of == (try await credentials()) { throw refusal.error }
    do throws(TokenError) {
      return try await grant.fetch()
    } catch {
      if case .refused = error { refusal = (try await credentials(), error) }
      throw error
    }
  }
}
