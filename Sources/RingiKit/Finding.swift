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
