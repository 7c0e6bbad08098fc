import EventLoop
import Timing

@testable import HTTP

/// Hands out `token-1`, `token-2` and so on; with a gate, only once that is open.
@Loop final class CountingGrant: TokenGrant {
  private(set) var count = 0
  private let failure: TokenError?
  private let lifetime: Int64?
  private let gate: Gate?
  private let clock: (any LoopClock)?

  init(failure: TokenError? = nil, lifetime: Int64? = nil, gate: Gate? = nil, clock: (any LoopClock)? = nil) {
    self.failure = failure
    self.lifetime = lifetime
    self.gate = gate
    self.clock = clock
  }

  func fetch() async throws(TokenError) -> AccessToken {
    count += 1
    if let gate { try? await gate.wait() }
    if let failure { throw failure }
    return AccessToken("token-\(count)", lifetime: lifetime, now: clock?.now ?? Timestamp(milliseconds: 0))
  }
}
