public import EventLoop
public import JSON

/// What a provider without tasks does at each poll: it looks for changes and publishes events.
@Loop
public protocol Watch: AnyObject {
  /// Looks once; never called while an earlier look goes on.
  ///
  /// - Returns: An object that tells what was found, for whoever runs the poll by hand.
  /// - Throws: `RPCError`; the poll has failed then, and comes again later and later.
  func look() async throws -> JSONValue
}
