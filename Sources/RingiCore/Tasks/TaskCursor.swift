internal import JSON
internal import JSONRPC
internal import RingiModel
internal import Timing

/// A place in the list of tasks: after the task with this time and id, wherever that task has gone.
struct TaskCursor {
  private let createdAt: Int64
  private let id: TaskItem.ID

  init(after task: TaskItem) {
    createdAt = task.createdAt?.milliseconds ?? .max
    id = task.id
  }

  init(text: String) throws(RPCError) {
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, let time = Int64(parts[0]), let id = TaskItem.ID(String(parts[1])) else {
      throw .invalidParams("cursor takes the nextCursor of an earlier answer, got \"\(text.prefix(100))\".")
    }
    createdAt = time
    self.id = id
  }

  var text: String { "\(createdAt):\(id)" }

  func precedes(_ task: TaskItem) -> Bool {
    let time = task.createdAt?.milliseconds ?? .max
    return time == createdAt ? id < task.id : createdAt < time
  }
}
