internal import RingiKit

extension Schema {
  /// A task's id, as the backend or the agent writes it.
  static let taskID = Schema.anyOf([
    .string("The task's id, with or without the instance's name before it.", minLength: 1), .integer(),
  ])
}

extension JSONValue {
  /// The backend's own id of a task that params name: without the instance before it and the occurrence after it.
  ///
  /// - Throws: `RPCError` (invalid-params) where nothing is left.
  func taskID(of instance: String) throws(RPCError) -> String {
    let text = try ownID(of: instance)
    let id = TaskKey(text).id
    guard id.isName else { throw .invalidParams("id got \(text.debugDescription), but takes the id of a task.") }
    return id
  }
}
