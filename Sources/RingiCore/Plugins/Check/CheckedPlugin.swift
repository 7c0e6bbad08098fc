internal import EventLoop
internal import JSON
internal import JSONRPC

/// A plugin that is checked, while it runs.
@Loop
protocol CheckedPlugin: AnyObject, Sendable {
  /// How it ended, where it has.
  var ending: String? { get }

  /// Calls a method.
  ///
  /// - Throws: `RPCError`; `CancellationError`.
  func call(_ method: String, _ params: JSONValue, within limit: Duration) async throws -> JSONValue
}

extension RPCProcess: CheckedPlugin {
  var ending: String? { failure ?? status.map { "It ended with \($0)." } }

  func call(_ method: String, _ params: JSONValue, within limit: Duration) async throws -> JSONValue {
    try await call(method, params, within: limit, progress: nil)
  }
}
