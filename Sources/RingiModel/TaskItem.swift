public import JSON
public import Timing

/// Work that waits for a person at a backend, as every client sees it.
public struct TaskItem: Identifiable, Equatable, Sendable {
  /// Which task of which plugin instance; written `sap/4005b254-…`.
  public struct ID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The plugin instance that watches the task.
    public let provider: String
    /// The backend's own id.
    public let key: String

    public init(provider: String, key: String) {
      self.provider = provider
      self.key = key
    }

    /// Reads `provider/key`; `nil` when there is no slash or one side is empty.
    public init?(_ text: String) {
      guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
      provider = String(text[..<slash])
      key = String(text[text.utf8.index(after: slash)...])
      if provider.isEmpty || key.isEmpty { return nil }
    }

    public var description: String { "\(provider)/\(key)" }

    public static func < (a: ID, b: ID) -> Bool { (a.provider, a.key) < (b.provider, b.key) }
  }

  public enum Status: String, Sendable, CaseIterable {
    /// Somebody can act on it now.
    case ready
    /// Somebody has reserved it.
    case claimed
    /// It was decided, here or at the backend.
    case done
    /// The backend no longer has it, or it was cancelled.
    case gone

    /// Whether a decision can still be made.
    public var isOpen: Bool { self == .ready || self == .claimed }
  }

  public enum Outcome: String, Sendable, CaseIterable {
    case approved, rejected, completed
  }

  public enum Priority: String, Sendable, CaseIterable {
    case low, medium, high, urgent
  }

  /// What a person can do with the task.
  public enum Action: String, Sendable, CaseIterable {
    case approve, reject, complete, claim, release
  }

  public let id: ID
  public var title: String
  public var status: Status
  /// How it was decided; `nil` while it is open, and when the backend doesn't tell.
  public var outcome: Outcome?
  /// Who decided it, where the backend tells; shown in events alone.
  public var decidedBy: String?
  public var requester: String?
  public var assignees: [String]
  public var priority: Priority
  public var createdAt: Timestamp?
  public var dueAt: Timestamp?
  public var url: String?
  public var actions: [Action]
  /// A hash over the fields that matter to a decision.
  public var revision: String
  /// The backend's own record.
  public var raw: JSONValue

  /// Makes a task; its revision is the hash of title, requester, priority, due time and `decisive`.
  ///
  /// - Parameters:
  ///   - id: The instance and the backend's id.
  ///   - title: What a person reads in a list.
  ///   - status: Where it stands.
  ///   - outcome: How it was decided.
  ///   - decidedBy: Who decided it.
  ///   - requester: Who asks for the decision.
  ///   - assignees: Who may decide.
  ///   - priority: Its weight.
  ///   - createdAt: When it came to be.
  ///   - dueAt: When it should be decided.
  ///   - url: Where a browser shows it.
  ///   - actions: What a person can do with it.
  ///   - decisive: The backend's fields that a decision rests on beyond the ones above: amounts, a context.
  ///   - raw: The backend's own record.
  public init(
    id: ID, title: String, status: Status = .ready, outcome: Outcome? = nil, decidedBy: String? = nil,
    requester: String? = nil, assignees: [String] = [], priority: Priority = .medium, createdAt: Timestamp? = nil,
    dueAt: Timestamp? = nil, url: String? = nil, actions: [Action] = [.approve, .reject], decisive: JSONValue = .null,
    raw: JSONValue = .null
  ) {
    self.init(
      id: id, title: title, status: status, outcome: outcome, decidedBy: decidedBy, requester: requester,
      assignees: assignees, priority: priority, createdAt: createdAt, dueAt: dueAt, url: url, actions: actions,
      revision: Revision.of([
        JSONValue(title), JSONValue(optional: requester), JSONValue(priority.rawValue),
        JSONValue(optional: dueAt?.rfc3339), decisive,
      ]), raw: raw)
  }

  /// Makes a task whose revision is known.
  init(
    id: ID, title: String, status: Status, outcome: Outcome?, decidedBy: String?, requester: String?,
    assignees: [String], priority: Priority, createdAt: Timestamp?, dueAt: Timestamp?, url: String?,
    actions: [Action], revision: String, raw: JSONValue
  ) {
    (self.id, self.title, self.status, self.outcome, self.decidedBy) = (id, title, status, outcome, decidedBy)
    (self.requester, self.assignees, self.priority) = (requester, assignees, priority)
    (self.createdAt, self.dueAt, self.url, self.actions) = (createdAt, dueAt, url, actions)
    (self.revision, self.raw) = (revision, raw)
  }
}

extension JSONValue {
  /// The string, or null.
  init(optional text: String?) {
    self = text.map { JSONValue($0) } ?? .null
  }
}
