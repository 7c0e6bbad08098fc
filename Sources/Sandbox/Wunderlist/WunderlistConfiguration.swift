package import Timing

/// What a sandbox begins with, and returns to when it is reset.
package struct WunderlistConfiguration: Sendable {
  package var switches = WunderlistSwitches()
  /// Where the clock stands; nil follows the system's.
  package var clock: Timestamp?
  package var clientID = "ringi-client-1"
  package var clientSecret = "ringi-secret-1/+="
  /// A token that works from the start; a login gives others.
  package var token = "5f1c2d3e4b5a69788796a5b4c3d2e1f05f1c2d3e4b5a6978"
  /// The callbacks that are registered for the client.
  package var redirects = ["http://127.0.0.1:17790/callback"]
  package var userID: Int64 = 6_234_958
  package var userName = "Ada"
  /// Begins the numbers by which revisions rise.
  package var seed: UInt64 = 1

  package init() {}
}

/// How the sandbox behaves where the service varied, or where nobody knows.
package struct WunderlistSwitches: SandboxSwitches {
  /// What completing a recurring task does.
  package enum Recurrence: String, Sendable, CaseIterable {
    /// The task is completed and a new one with the next date appears.
    case new
    /// The same id is open again, with the next date.
    case reopen
  }

  /// Whether missing headers are answered with 500 instead of 401.
  package var missingAuth500 = false
  /// The status of a validation error.
  package var validationStatus = 422
  /// When list and root follow a change.
  package var bubbleDelay = Latency.after(.zero)
  package var recurrence = Recurrence.new
  /// Whether open tasks say `"completed": false`.
  package var showsOpen = false
  /// Whether the token endpoint takes a form, too.
  package var legacyFormOk = false

  package init() {}

  package var texts: [(name: String, value: String)] {
    [
      ("missingAuth500", "\(missingAuth500)"), ("validationStatus", "\(validationStatus)"),
      ("bubbleDelay", bubbleDelay.text), ("recurrence", recurrence.rawValue), ("showsOpen", "\(showsOpen)"),
      ("legacyFormOk", "\(legacyFormOk)"),
    ]
  }

  package mutating func set(_ name: String, _ text: String) throws(SwitchError) {
    switch name {
    case "missingAuth500": missingAuth500 = try Self.bool(name, text)
    case "validationStatus":
      validationStatus = try Self.value(
        name, text, Int(text).flatMap { [400, 422].contains($0) ? $0 : nil }, "400, 422")
    case "bubbleDelay":
      bubbleDelay = try Self.value(name, text, Latency(text: text), "tick, or a duration such as 500ms")
    case "recurrence": recurrence = try Self.choice(name, text)
    case "showsOpen": showsOpen = try Self.bool(name, text)
    case "legacyFormOk": legacyFormOk = try Self.bool(name, text)
    default: throw unknown(name)
    }
  }
}
