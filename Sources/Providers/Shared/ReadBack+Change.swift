internal import RingiKit

extension ReadBack {
  /// Reads a record after a change of it that was made.
  ///
  /// - Parameters:
  ///   - instance: The plugin instance.
  ///   - read: Reads the record.
  /// - Returns: What `read` returns.
  /// - Throws: `RPCError` (outcome-unknown) when it can't be read: the change must not be taken for one that failed.
  @Loop static func afterChange(
    at instance: String, _ read: @Loop () async throws -> JSONValue
  ) async throws -> JSONValue {
    do {
      return try await read()
    } catch let error as RPCError {
      throw RPCError.outcomeUnknown(
        "\(instance): the change was made, and what came of it could not be read (\(error.message)); read it again later, and don't send the change again.",
        details: ["provider": JSONValue(instance), "cause": error.json])
    }
  }
}
