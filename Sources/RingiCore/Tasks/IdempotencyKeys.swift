internal import EventLoop
internal import JSON
internal import JSONRPC

/// The first answers to mutations that carried an idempotency key.
///
/// - SeeAlso: the IETF draft on the `Idempotency-Key` header, whose rules these follow.
@Loop
final class IdempotencyKeys {
  private struct Entry {
    let request: JSONValue
    let answer: Task<JSONValue, any Error>
  }

  private static let maxKeys = 10_000

  private var entries: [String: Entry] = [:]
  private var order: [String] = []

  /// Does the work once for each key.
  ///
  /// - Parameters:
  ///   - key: The client's key; `nil` does the work unconditionally.
  ///   - request: What is asked for; the same key with another request is a conflict.
  ///   - work: What to do the first time.
  /// - Returns: The first answer.
  /// - Throws: `RPCError` (conflict), or what `work` throws; a failure frees the key.
  func once(
    _ key: String?, _ request: JSONValue, _ work: @escaping @Loop @Sendable () async throws -> JSONValue
  ) async throws -> JSONValue {
    guard let key else { return try await work() }
    if let entry = entries[key] {
      guard entry.request == request else {
        throw RPCError.conflict(
          "This idempotency key was used for another request; use a new key for a new request.")
      }
      return try await entry.answer.value
    }
    let answer = Loop.task(work)
    entries[key] = Entry(request: request, answer: answer)
    order.append(key)
    if order.count > Self.maxKeys { entries[order.removeFirst()] = nil }
    do {
      return try await answer.value
    } catch {
      // Whether the same may be sent again after an unknown outcome, the task itself knows.
      entries[key] = nil
      order.removeAll { $0 == key }
      throw error
    }
  }
}
