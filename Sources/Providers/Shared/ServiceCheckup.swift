internal import RingiKit

/// Checks a service that speaks HTTP: one harmless read, with the credentials and over the way that calls take.
@Loop
final class ServiceCheckup: Checkup {
  private let context: ProviderContext
  private let url: HTTPURL
  private let connection: ConnectionSettings
  private let credentials: String
  private let hasBrowserLogin: Bool
  private let read: @Loop @Sendable () async throws -> Bool

  /// Keeps what a check takes; nothing is sent yet.
  ///
  /// - Parameters:
  ///   - context: What the agent lends to the instance.
  ///   - url: The service's address.
  ///   - connection: How it is reached.
  ///   - credentials: The settings that hold the credentials, for advice: "user and password".
  ///   - hasBrowserLogin: Whether a person logs in with a browser.
  ///   - read: Reads something that every login may read; returns whether that shows that the credentials are good, throws
  ///     `RPCError`.
  init(
    _ context: ProviderContext, _ url: HTTPURL, _ connection: ConnectionSettings, credentials: String,
    hasBrowserLogin: Bool = false, read: @escaping @Loop @Sendable () async throws -> Bool
  ) {
    (self.context, self.url, self.connection) = (context, url, connection)
    (self.credentials, self.hasBrowserLogin, self.read) = (credentials, hasBrowserLogin, read)
  }

  func findings(file: String, within limit: Duration) async -> [Finding] {
    let trace = HTTPTrace(clock: context.clock)
    let outcome: Result<Bool, RPCError>
    var isTimeout = false
    do {
      let isProof = try await HTTPTrace.$current.withValue(trace) { [context, read] in
        try await context.clock.withTimeout(limit) { try await read() }
      }
      outcome = .success(isProof)
    } catch is TimeoutError {
      isTimeout = true
      outcome = .failure(.unavailable("no whole answer came within \(DurationText.format(limit))"))
    } catch let error as RPCError {
      outcome = .failure(error)
    } catch {
      outcome = .failure(.cancelled())
    }
    return ServiceFindings(
      instance: context.instance, file: file, url: url, tls: connection.tls, credentials: credentials,
      hasBrowserLogin: hasBrowserLogin, limit: limit, exchanges: trace.exchanges, outcome: outcome, isTimeout: isTimeout
    ).all
  }
}
