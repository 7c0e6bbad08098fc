internal import Timing

/// When a backend's work in the background is done.
package enum Latency: Sendable, Equatable {
  /// So much later on the sandbox's clock; zero is at once.
  case after(Duration)
  /// When the next tick is called for, so that a test need not wait.
  case nextTick

  /// - Parameter text: "tick", or a duration such as "500ms"; anything else gives nil.
  package init?(text: String) {
    if text == "tick" {
      self = .nextTick
    } else {
      guard let duration = try? DurationText.parse(text) else { return nil }
      self = .after(duration)
    }
  }

  package var text: String {
    switch self {
    case .after(let duration): DurationText.format(duration)
    case .nextTick: "tick"
    }
  }
}
