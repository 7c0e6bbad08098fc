internal import EventLoop
public import JSON

/// One method as clients can call it.
public struct Method: Sendable {
  /// How the method answers.
  package enum Handler: Sendable {
    /// Never waits: reads the params' bytes (empty without params) and appends the result's JSON text.
    case bytes(@Loop @Sendable (_ params: UnsafeBufferPointer<UInt8>, Call, _ output: inout [UInt8]) throws -> Void)
    /// Never waits.
    case sync(@Loop @Sendable (JSONValue, Call) throws -> JSONValue)
    /// May wait.
    case async(@Loop @Sendable (JSONValue, Call) async throws -> JSONValue)
    /// May wait, and answers with a text that need not be looked into.
    case text(@Loop @Sendable (JSONValue, Call) async throws -> JSONText)
  }

  /// The full name: `sap.task.list`.
  public let name: String
  /// One sentence.
  public let summary: String
  /// The schema of the params; an object's properties in the order of positional params.
  public let params: Schema
  public let result: Schema
  package let handler: Handler
  /// Whether the call may change something at a backend, so that it is not cut short when its client leaves.
  package let isMutation: Bool

  package init(
    _ name: String, _ summary: String, params: Schema, result: Schema, isMutation: Bool = false, handler: Handler
  ) {
    self.name = name
    self.summary = summary
    self.params = params
    self.result = result
    self.isMutation = isMutation
    self.handler = handler
  }
}
