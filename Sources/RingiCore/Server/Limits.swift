/// What one client may ask of the agent; `limits` of ringi.json.
package struct Limits: Hashable, Sendable {
  /// The longest message, in bytes.
  package var messageBytes = 16 << 20
  /// The deepest nesting of a message.
  package var depth = 256
  /// The most elements of a batch.
  package var batch = 1000
  /// The most requests of one connection without an answer yet.
  package var inFlight = 1024
  /// The most connections of all listeners together.
  package var connections = 8192
  /// The most bytes waiting for one client to read them before events are dropped for it.
  package var outboxBytes = 8 << 20
  /// The most time that an answer may take.
  package var requestTimeout: Duration = .seconds(60)

  package init() {}
}
