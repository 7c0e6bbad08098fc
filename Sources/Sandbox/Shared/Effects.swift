internal import Timing

/// What a backend does in the background, in the order in which it falls due.
package struct Effects<Action: Sendable>: Sendable {
  private enum Due: Sendable {
    case at(Timestamp)
    case nextTick
  }

  private var waiting: [(due: Due, action: Action)] = []

  mutating func add(_ action: Action, after latency: Latency, now: Timestamp) {
    switch latency {
    case .after(let duration): waiting.append((.at(now + duration), action))
    case .nextTick: waiting.append((.nextTick, action))
    }
  }

  /// Takes out the effect that fell due first, with the moment at which it did.
  mutating func takeDue(at now: Timestamp) -> (moment: Timestamp, action: Action)? {
    var first: (index: Int, moment: Timestamp)?
    for (index, effect) in waiting.enumerated() {
      if case .at(let moment) = effect.due, moment <= now, moment < first?.moment ?? .latest { first = (index, moment) }
    }
    return first.map { ($0.moment, waiting.remove(at: $0.index).action) }
  }

  /// Takes out all that waits for a tick; what these cause waits for the next.
  mutating func takeTicked() -> [Action] {
    var ticked: [Action] = []
    waiting.removeAll { effect in
      guard case .nextTick = effect.due else { return false }
      ticked.append(effect.action)
      return true
    }
    return ticked
  }

  func contains(where matches: (Action) -> Bool) -> Bool { waiting.contains { matches($0.action) } }
}
