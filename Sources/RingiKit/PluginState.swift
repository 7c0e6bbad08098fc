/// What the agent keeps for one plugin instance, under names that the instance chooses.
///
/// It outlives the agent, and is there again when an instance that was taken out comes back.
public struct PluginState: Sendable {
  /// Reads what is kept under a key, `nil` when there is nothing; throws `RPCError` (unavailable) when it can't be read.
  public let get: @Loop @Sendable (_ key: String) async throws -> JSONValue?
  /// Keeps a value under a key, in place of the one before; `nil` and null take it out.
  ///
  /// When it returns, the value would survive a crash. Throws `RPCError`: invalid-params when the key, the value or the
  /// number of keys is beyond the bounds; unavailable when it can't be recorded. What was kept before stays then.
  public let set: @Loop @Sendable (_ key: String, _ value: JSONValue?) async throws -> Void

  public init(
    get: @escaping @Loop @Sendable (_ key: String) async throws -> JSONValue?,
    set: @escaping @Loop @Sendable (_ key: String, _ value: JSONValue?) async throws -> Void
  ) {
    self.get = get
    self.set = set
  }
}
