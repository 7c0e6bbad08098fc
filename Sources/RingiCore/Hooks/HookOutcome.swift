internal import EventLoop
internal import JSON

/// What one attempt came to.
struct HookOutcome: Sendable {
  /// What went wrong, without secrets; `nil` when it was delivered.
  var error: String?
  /// Whether the same attempt would fail the same way again.
  var isFinal = false
  /// Whether it was cut, being the end of a chain of events that cause each other.
  var isCut = false
  /// How the program ended by itself.
  var exit: ChildProcess.ExitStatus?
  /// What the program wrote, abridged.
  var output = ""
  /// What the method returned.
  var result: JSONValue?

  static func failed(_ error: String, isFinal: Bool = false) -> HookOutcome {
    HookOutcome(error: error, isFinal: isFinal)
  }
}
