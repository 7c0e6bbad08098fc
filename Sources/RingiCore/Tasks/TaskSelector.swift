internal import JSON
package import JSONRPC
package import RingiModel

/// How a client names a task: an id, a unique prefix of one, `newest` or `oldest` of the ready ones.
package enum TaskSelector {
  /// The most candidates that an ambiguous prefix's error lists.
  private static let maxCandidates = 20

  /// Finds the task, once: what is found is what is acted on.
  ///
  /// - Parameters:
  ///   - text: What the client wrote.
  ///   - tasks: All tasks that are known.
  ///   - busy: Tasks that are being decided, which are neither newest nor oldest any more.
  /// - Returns: The task.
  /// - Throws: `RPCError`: not-found, or invalid-params with the candidates of an ambiguous prefix.
  package static func find(
    _ text: String, among tasks: some Sequence<TaskItem>, busy: Set<TaskItem.ID> = []
  ) throws(RPCError) -> TaskItem {
    switch text {
    case "newest", "oldest":
      var ready = tasks.filter { $0.status == .ready && !busy.contains($0.id) }
      // Of one whose backend tells no time nobody can say that it is the newest, as long as others have one.
      let dated = ready.filter { $0.createdAt != nil }
      if !dated.isEmpty { ready = dated }
      let found = text == "oldest" ? ready.min(by: TaskTable.precedes) : ready.max(by: TaskTable.precedes)
      guard let found else {
        throw .notFound("No task is ready, so there is no \(text) one; tasks.list shows what there is.")
      }
      return found
    default: return try find(prefix: text, among: Array(tasks))
    }
  }

  private static func find(prefix text: String, among tasks: [TaskItem]) throws(RPCError) -> TaskItem {
    if let exact = tasks.first(where: { $0.id.description == text }) { return exact }
    let candidates = text.isEmpty ? [] : tasks.filter { $0.id.description.hasPrefix(text) }
    guard let first = candidates.first else {
      throw .notFound(
        "There is no task \"\(text.prefix(200))\"; tasks.list shows the ids, tasks.refresh asks the backends anew.",
        details: ["task": JSONValue(String(text.prefix(200)))])
    }
    guard candidates.count == 1 else {
      let ids = candidates.map(\.id).sorted().prefix(maxCandidates)
      throw .invalidParams(
        "\"\(text)\" is the beginning of \(candidates.count) task ids (\(ids.map(\.description).joined(separator: ", "))); write more of the one you mean.",
        details: ["parameter": "task", "candidates": JSONValue(array: ids.map { JSONValue($0.description) })])
    }
    return first
  }
}
