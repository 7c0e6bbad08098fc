internal import RingiKit

/// Remembers a refusal, which stands until the credentials are others: some servers lock an account after a few tries.
@Loop
final class RefusedCredentials {
  private let credentials: @Loop @Sendable () async throws(TokenError) -> [String?]
  private var refusal: (of: [String?], error: TokenError)?

  /// Remembers nothing yet.
  ///
  /// - Parameter credentials: All that a try would send.
  init(_ credentials: @escaping @Loop @Sendable () async throws(TokenError) -> [String?]) {
    self.credentials = credentials
  }

  /// Tries the credentials, unless they are those that were refused last.
  ///
  /// - Parameter work: The try.
  /// - Returns: What `work` returns.
  /// - Throws: What `work` throws, and a refusal again without another try.
  func attempt<Value>(_ work: @Loop () async throws(TokenError) -> Value) async throws(TokenError) -> Value {
    // Under a trace the client below remembers, and notes it there.
    if HTTPTrace.current == nil, let refusal, refusal.of == (try await credentials()) { throw refusal.error }
    do throws(TokenError) {
      let value = try await work()
      refusal = nil
      return value
    } catch {
      if Self.stands(error) { refusal = (try await credentials(), error) }
      throw error
    }
  }

  /// Whether an error is a refusal of the credentials; an address that is not there says nothing of them.
  static func stands(_ error: TokenError) -> Bool {
    guard case .refused(let status, _) = error else { return false }
    return ![404, 405, 410].contains(status)
  }
}
