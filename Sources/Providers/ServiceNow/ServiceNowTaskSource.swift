internal import RingiKit

/// The approvals that wait for the user as the agent's tasks.
@Loop
final class ServiceNowTaskSource: TaskSource {
  private let approvals: ServiceNowApprovals
  private let instance: String

  /// More open approvals than anybody decides; beyond them the list counts as cut short.
  private static let limit = 50_000

  init(_ approvals: ServiceNowApprovals) {
    self.approvals = approvals
    instance = approvals.api.instance
  }

  func tasks() async throws -> TaskSnapshot {
    let found = try await approvals.list(.requested, of: .user, limit: Self.limit)
    let items = found.approvals.map { approval in
      let id = TaskItem.ID(provider: instance, key: approval.id)
      return TaskSnapshot.Item(id: id, fingerprint: Fingerprint.of(approval.json.utf8)) { approval.item(id) }
    }
    return TaskSnapshot(items: items, isComplete: found.isComplete)
  }

  func task(_ id: TaskItem.ID) async throws -> TaskItem? { try await approvals.approval(id.key)?.item(id) }

  func context(of id: TaskItem.ID) async throws -> JSONValue? { try await approvals.matter(of: id.key) }

  func preview(_ decision: Decision, on task: TaskItem) throws -> JSONValue {
    [
      "method": "PATCH", "path": JSONValue("/api/now/table/\(ServiceNowApproval.table)/\(task.id.key)"),
      "body": approvals.body(try verdict(decision), comment: decision.comment),
    ]
  }

  func decide(_ decision: Decision, on task: TaskItem) async throws -> TaskItem {
    do {
      return try await approvals.decide(try verdict(decision), task.id.key, comment: decision.comment).item(task.id)
    } catch let error as ServiceNowApprovals.NotOpen {
      throw AlreadyDecided(task: error.approval.item(task.id))
    }
  }

  func claim(_ task: TaskItem) async throws -> TaskItem { throw cannotReserve() }

  func release(_ task: TaskItem) async throws -> TaskItem { throw cannotReserve() }

  private func verdict(_ decision: Decision) throws(RPCError) -> ServiceNowApproval.State {
    guard decision.decision == nil, decision.context?.object?.isEmpty ?? true else {
      throw .invalidParams("\(instance): an approval takes a comment, and neither decision nor context.")
    }
    switch decision.kind {
    case .approve: return .approved
    case .reject: return .rejected
    case .complete: throw .invalidParams("\(instance): an approval is approved or rejected; use one of the two.")
    }
  }

  private func cannotReserve() -> RPCError {
    .invalidParams("\(instance): an approval belongs to its approver, and can't be claimed or released.")
  }
}
