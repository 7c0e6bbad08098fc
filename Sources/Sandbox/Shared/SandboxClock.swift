package import Timing

/// A sandbox's time: the system's, or one that stands still; either can be moved forward.
package struct SandboxClock: Sendable {
  private let fixed: Timestamp?
  private var moved: Duration = .zero

  /// - Parameter fixed: where the clock stands until it is moved; nil follows the system's clock.
  package init(standingAt fixed: Timestamp? = nil) { self.fixed = fixed }

  package var now: Timestamp { (fixed ?? .now()) + moved }

  package mutating func advance(by duration: Duration) { moved += duration }
}
