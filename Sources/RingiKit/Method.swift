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
    /// May wait; takes any object, and answers with a text, neither of which need be looked into.
    case passed(@Loop @Sendable (JSONText, Call) async throws -> JSONText)
  }

  /// The full name: `sap.task.list`.
  public let name: String
  /// One sentence.
  public let summary: String
  /// The schema of the params; an object's properties in the order of positional params.
  public let params: Schema
  public let result: Schema
  package private(set) var handler: Handler
  /// Whether the call may change something at a backend, so that it is not cut short when its client leaves.
  package let isMutation: Bool
  /// Whether a change that was begun and not ended may be done again: it finds out what is left to do, and records what
  /// came of it by itself.
  package let settlesItself: Bool
  /// Whether the change is worth an entry in the audit log of its own.
  package let isAudited: Bool
  /// Whether the key is the agent's business alone.
  package let hidesIdempotencyKey: Bool

  package init(
    _ name: String, _ summary: String, params: Schema, result: Schema, isMutation: Bool = false,
    settlesItself: Bool = false, isAudited: Bool = true, handler: Handler
  ) {
    hidesIdempotencyKey = isMutation && !params.propertyNames.contains(Self.idempotencyKey.name)
    self.name = name
    self.summary = summary
    self.params =
      hidesIdempotencyKey ? params.adding(Self.idempotencyKey.name, Self.idempotencyKey.schema) : params
    self.result = result
    self.isMutation = isMutation
    self.settlesItself = settlesItself
    self.isAudited = isAudited
    self.handler = handler
  }

  /// What every mutation takes besides its own params.
  package static let idempotencyKey: (name: String, schema: Schema) = (
    "idempotencyKey",
    .string("The same key answers the same again, without acting twice.", minLength: 1, maxLength: 255)
  )

  /// The same method with another handler.
  package func with(handler: Handler) -> Method {
    var method = self
    method.handler = handler
    return method
  }
}
