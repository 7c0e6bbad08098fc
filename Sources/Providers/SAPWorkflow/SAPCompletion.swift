internal import RingiKit

/// What completing a task sends, and what a completed task's context says about its outcome.
struct SAPCompletion {
  let settings: SAPSettings

  /// The body for a decision: nothing that a recipient without an administrator's rights may not send, and of the
  /// context only what changes.
  func body(_ decision: Decision) -> JSONValue {
    let verdict = verdict(decision.kind)
    var context = verdict?.context ?? .emptyObject
    if let comment = decision.comment, let member = settings.commentMember {
      context = context.setting(member, to: JSONValue(comment))
    }
    if let changes = decision.context { context = context.merging(changes) }
    return Self.body(decision: decision.decision ?? verdict?.decision, context: context)
  }

  static func body(decision: String?, context: JSONValue?) -> JSONValue {
    var members: [(String, JSONValue)] = [("status", "COMPLETED")]
    if let decision { members.append(("decision", JSONValue(decision))) }
    if let context, context.object?.isEmpty == false { members.append(("context", context)) }
    return JSONValue(object: members)
  }

  /// How a task was decided whose workflow has this context; the service itself does not tell.
  func outcome(in context: JSONValue) -> TaskItem.Outcome? {
    let kinds = [Decision.Kind.approve, .reject].filter { kind in
      guard let members = verdict(kind)?.context.object, !members.isEmpty else { return false }
      return members.allSatisfy { context[$0.key] == $0.value }
    }
    return kinds.count == 1 ? kinds.first?.outcome : nil
  }

  private func verdict(_ kind: Decision.Kind) -> SAPSettings.Verdict? {
    switch kind {
    case .approve: settings.approve
    case .reject: settings.reject
    case .complete: nil
    }
  }
}
