internal import EventLoop
internal import JSON
public import RingiModel

/// The tasks of one moment.
public struct TaskSnapshot: Sendable {
  /// A task as its backend listed it.
  public struct Item: Sendable {
    public let id: TaskItem.ID
    /// Stands for all that the task is made of but the instance's settings, now and after a restart: a task whose
    /// fingerprint is known is not made again under the same settings.
    public let fingerprint: UInt64
    private let make: @Loop @Sendable () throws -> TaskItem

    /// Describes a task without making it.
    ///
    /// - Parameters:
    ///   - id: Its name.
    ///   - fingerprint: The ``Fingerprint`` of the backend's record, as a rule.
    ///   - make: Makes the task with that id; called only when the task is new or has changed.
    public init(id: TaskItem.ID, fingerprint: UInt64, make: @escaping @Loop @Sendable () throws -> TaskItem) {
      self.id = id
      self.fingerprint = fingerprint
      self.make = make
    }

    /// The task.
    ///
    /// - Throws: `RPCError` when the backend's record makes no sense; the poll has failed then.
    @Loop public func task() throws -> TaskItem { try make() }
  }

  public let items: [Item]
  /// Whether the list was read to its end; when not, absence proves nothing.
  public let isComplete: Bool

  public init(items: [Item], isComplete: Bool) {
    self.items = items
    self.isComplete = isComplete
  }

  /// For a source that has made its tasks already.
  public init(tasks: [TaskItem], isComplete: Bool) {
    self.init(items: tasks.map(Item.init), isComplete: isComplete)
  }
}

extension TaskSnapshot.Item {
  fileprivate init(_ task: TaskItem) {
    // Who decided is the one thing that the JSON lacks.
    let all: JSONValue = [task.json(), task.decidedBy.map { JSONValue($0) } ?? .null]
    self.init(id: task.id, fingerprint: Fingerprint.of(all.utf8)) { task }
  }
}
