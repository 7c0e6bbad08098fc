internal import RingiModel

/// What many tasks have in common, so that memory holds it once.
struct CommonValues {
  /// Beyond that, values are hardly common.
  private static let limit = 1000

  private var assignees: Set<[String]> = []
  private var actions: Set<[TaskItem.Action]> = []
  private var requesters: Set<String> = []

  /// The same task, with the parts that others have too.
  mutating func sharing(_ task: TaskItem) -> TaskItem {
    var task = task
    task.assignees = Self.shared(task.assignees, &assignees)
    task.actions = Self.shared(task.actions, &actions)
    task.requester = task.requester.map { Self.shared($0, &requesters) }
    return task
  }

  private static func shared<Value>(_ value: Value, _ known: inout Set<Value>) -> Value {
    if known.count >= limit { known = [] }
    return known.insert(value).memberAfterInsert
  }
}
