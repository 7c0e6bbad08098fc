internal import RingiKit

/// A task source whose tasks are completed, and neither rejected nor claimed.
@Loop
protocol CompletingSource: TaskSource {
  var instance: String { get }
}

extension CompletingSource {
  func context(of id: TaskItem.ID) async throws -> JSONValue? { nil }

  /// - Throws: `RPCError` (invalid-params) for a decision that such a task does not know.
  func check(_ decision: Decision) throws {
    guard decision.kind != .reject, decision.context == nil, decision.decision == nil else {
      throw RPCError.invalidParams(
        "\(instance): a task here can't be rejected; approve or complete it, which takes neither decision nor context.")
    }
  }

  /// A task as it is once the decision was carried out.
  func completed(_ task: TaskItem, by decision: Decision) -> TaskItem {
    var decided = task
    decided.status = .done
    decided.outcome = decision.kind.outcome
    decided.actions = []
    return decided
  }

  func claim(_ task: TaskItem) async throws -> TaskItem { throw unclaimable }

  func release(_ task: TaskItem) async throws -> TaskItem { throw unclaimable }

  private var unclaimable: RPCError {
    .invalidParams("\(instance): tasks here are not claimed; they can be completed.")
  }
}
