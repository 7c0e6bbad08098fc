/// How a sandbox behaves where the real service varies, or where nobody knows; may be changed while it runs.
package struct SAPSwitches: Sendable {
  package enum ErrorCodeStyle: String, Sendable, CaseIterable {
    /// `bpm.workflowruntime.rest.task.not.found`
    case rest
    /// `bpm.workflowruntime.task.not.found`
    case plain
  }

  /// How an absent value is written.
  package enum NullStyle: String, Sendable, CaseIterable {
    case null, omit
    /// By turns, and with an unknown member in every object.
    case mixed
  }

  /// Whether a changed member of a context replaces the old one or is merged into it.
  package enum MergeDepth: String, Sendable, CaseIterable { case shallow, deep }

  package enum Affinity: String, Sendable, CaseIterable {
    case none
    /// Without the load balancer's cookie a request reaches a node that does not know the session.
    case strict
  }

  package enum RefreshTokens: String, Sendable, CaseIterable {
    /// One refresh token lives on.
    case kept
    /// Each use gives a new one; the last one may be used once more, in case the answer was lost.
    case rotated
  }

  package var headerCase = HeaderCase.canonical
  package var errorCodeStyle = ErrorCodeStyle.rest
  package var nullStyle = NullStyle.mixed
  package var mergeDepth = MergeDepth.shallow
  /// How long what the service does in the background takes.
  package var latency = Latency.after(.seconds(1))
  package var affinity = Affinity.none
  package var sessionIdle = Duration.seconds(20 * 60)
  package var tokenLife = Duration.seconds(12 * 60 * 60)
  package var refreshTokens = RefreshTokens.kept
  /// Whether a 403 for missing scopes carries its code; the service has been seen to do both.
  package var privilegesCode: Bool
  /// Requests per second of all callers together, beyond which the answer is 429; nil has no limit.
  package var rateLimit: Int?
  /// The Retry-After header of such a 429; nil leaves it out.
  package var rateLimitRetryAfter: String?

  package init(environment: SAPEnvironment = .neo) { privilegesCode = environment == .sbpa }
}
