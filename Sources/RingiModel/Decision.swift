public import JSON

/// What a person decided about a task.
public struct Decision: Equatable, Sendable {
  public enum Kind: String, Sendable, CaseIterable {
    case approve, reject, complete

    /// The outcome of a task decided so.
    public var outcome: TaskItem.Outcome {
      switch self {
      case .approve: .approved
      case .reject: .rejected
      case .complete: .completed
      }
    }
  }

  public var kind: Kind
  /// The backend's own name of the decision, where a plain approve or reject isn't all: a button's id.
  public var decision: String?
  public var comment: String?
  /// What goes to the backend along with the decision; an object.
  public var context: JSONValue?

  public init(_ kind: Kind, decision: String? = nil, comment: String? = nil, context: JSONValue? = nil) {
    self.kind = kind
    self.decision = decision
    self.comment = comment
    self.context = context
  }
}
