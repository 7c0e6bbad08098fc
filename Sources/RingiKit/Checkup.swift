public import EventLoop

/// A backend that can be checked on demand, for `ringi doctor`.
@Loop
public protocol Checkup: AnyObject {
  /// Looks whether the backend can be reached and lets the instance in, with one harmless read over the way that calls
  /// take.
  ///
  /// It tries a login once at most, and not at all with credentials that were refused last time.
  ///
  /// - Parameters:
  ///   - file: The instance's file of plugins.d, for the advice.
  ///   - limit: How long it may take.
  /// - Returns: What was found, without any secret.
  func findings(file: String, within limit: Duration) async -> [Finding]
}

/// One thing that was checked.
public struct Finding: Sendable, Equatable {
  /// What was checked.
  public enum Subject: String, Sendable, CaseIterable {
    case state, configuration, permissions, program, polls, reachability, tls, credentials, service, clock, disk
    case rateLimit = "rate-limit"
  }

  public enum Status: String, Sendable, CaseIterable {
    case ok, warning, problem
    /// It could not be looked at, or there is no such thing here.
    case skipped
  }

  public var subject: Subject
  public var status: Status
  /// What was found: a few words, or a sentence.
  public var message: String
  /// What to do: a sentence.
  public var advice: String?

  public init(_ subject: Subject, _ status: Status, _ message: String, advice: String? = nil) {
    self.subject = subject
    self.status = status
    self.message = message
    self.advice = advice
  }
}
