public import EventLoop
public import JSON
public import JSONRPC
public import RingiModel

/// A provider whose backend has tasks.
///
/// Errors are `RPCError`s; the agent adds nothing to them but the instance's name.
@Loop
public protocol TaskSource: AnyObject {
  /// The open tasks that concern the user now.
  ///
  /// - Returns: The tasks, and whether that is all of them.
  /// - Throws: `RPCError`; nothing is concluded from a failed poll.
  func tasks() async throws -> TaskSnapshot

  /// One task as the backend has it now, decided or not.
  ///
  /// - Parameter id: One of this instance's tasks.
  /// - Returns: The task, or `nil` when the backend doesn't know it.
  /// - Throws: `RPCError`.
  func task(_ id: TaskItem.ID) async throws -> TaskItem?

  /// What the backend keeps beside the task for the person to read; `nil` where it has no such thing.
  func context(of id: TaskItem.ID) async throws -> JSONValue?

  /// What ``decide(_:on:)`` would send, for a dry run.
  func preview(_ decision: Decision, on task: TaskItem) throws -> JSONValue

  /// Decides a task: one write to the backend, never repeated by itself once it may have arrived.
  ///
  /// - Parameters:
  ///   - decision: What the person decided.
  ///   - task: The task as last seen.
  /// - Returns: The task as it is now.
  /// - Throws: ``AlreadyDecided`` when somebody was first; ``UnclearOutcome`` when the write was sent and no answer
  ///   tells whether it was done; else `RPCError`, which says that nothing happened.
  func decide(_ decision: Decision, on task: TaskItem) async throws -> TaskItem

  /// Reserves a task for the user.
  ///
  /// - Throws: As ``decide(_:on:)``.
  func claim(_ task: TaskItem) async throws -> TaskItem

  /// Gives a reserved task back.
  ///
  /// - Throws: As ``decide(_:on:)``.
  func release(_ task: TaskItem) async throws -> TaskItem
}

/// A decision came too late; the task as the backend has it.
public struct AlreadyDecided: Error, Sendable {
  public let task: TaskItem
  public init(task: TaskItem) { self.task = task }
}

/// A write was sent, and no answer tells whether it was done.
public struct UnclearOutcome: Error, Sendable {
  /// Why no answer came.
  public let cause: RPCError
  public init(cause: RPCError) { self.cause = cause }
}
