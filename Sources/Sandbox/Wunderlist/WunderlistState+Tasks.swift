internal import HTTPServer
internal import JSON
internal import Timing

extension WunderlistState {
  /// What a body asks for, typed.
  private struct Fields {
    var title: String?
    var listID: Int64?
    var assigneeID: Int64?
    var isCompleted: Bool?
    var isStarred: Bool?
    var dueDate: String?
    var recurrenceType: String?
    var recurrenceCount: Int64?
    var removed: [String] = []

    init(_ call: inout WunderlistCall, creates: Bool) {
      listID = call.integer("list_id", required: creates)
      title = call.string("title", required: creates)
      assigneeID = call.integer("assignee_id")
      isCompleted = call.bool("completed")
      isStarred = call.bool("starred")
      dueDate = call.string("due_date")
      recurrenceType = call.string("recurrence_type")
      recurrenceCount = call.integer("recurrence_count")
      if !creates { removed = call.strings("remove") ?? [] }
    }
  }

  mutating func listTasks(_ request: ServerRequest) throws(WunderlistError) -> ServerResponse {
    func value(_ name: String) -> String? { request.query.first { $0.name == name }?.value }
    guard let id = value("list_id").flatMap({ Int64($0) }) else {
      throw .missingParameter([("list_id", ["required", "can't be blank"])])
    }
    _ = try listIndex(id)
    let wantsCompleted = value("completed") == "true"
    return .json(
      JSONValue(array: tasks.filter { $0.listID == id && $0.isCompleted == wantsCompleted }.map(json)))
  }

  mutating func createTask(_ request: ServerRequest) throws(WunderlistError) -> ServerResponse {
    var call = try WunderlistCall(request)
    let fields = Fields(&call, creates: true)
    try call.check()
    let list = lists[try listIndex(fields.listID ?? 0)]
    var task = WunderlistTask(
      id: newID(), listID: list.id, title: "", revision: step(), createdAt: clock.now,
      createdByID: configuration.userID, createdByRequestID: request.headers["x-client-request-id"])
    try set(fields, in: &task)
    tasks.append(task)
    bubble(from: list.id)
    return .json(json(of: task), status: 201)
  }

  mutating func updateTask(_ id: Int64, _ request: ServerRequest) throws(WunderlistError) -> ServerResponse {
    var call = try WunderlistCall(request)
    let revision = call.integer("revision", required: true)
    let fields = Fields(&call, creates: false)
    try call.check()
    let index = try taskIndex(id)
    guard revision == tasks[index].revision else { throw .conflict }
    if let list = fields.listID { _ = try listIndex(list) }
    let wasOpen = !tasks[index].isCompleted
    var task = tasks[index]
    try set(fields, in: &task)
    if wasOpen, task.isCompleted { completions[id, default: 0] += 1 }
    store(task, at: index, wasOpen: wasOpen)
    return .json(json(of: tasks[index]))
  }

  /// Keeps a changed task; completing one that recurs makes the next occurrence.
  mutating func store(_ task: WunderlistTask, at index: Int, wasOpen: Bool) {
    var task = task
    let oldList = tasks[index].listID
    task.revision += step()
    if wasOpen, task.isCompleted, let next = nextDate(of: task) {
      switch switches.recurrence {
      case .reopen:
        task.isCompleted = false
        (task.completedAt, task.completedByID) = (nil, nil)
        task.dueDate = next
      case .new:
        var following = WunderlistTask(
          id: newID(), listID: task.listID, title: task.title, revision: step(), createdAt: clock.now,
          createdByID: task.createdByID)
        (following.dueDate, following.assigneeID) = (next, task.assigneeID)
        (following.recurrenceType, following.recurrenceCount) = (task.recurrenceType, task.recurrenceCount)
        tasks.append(following)
      }
    }
    tasks[index] = task
    if oldList != task.listID { bubble(from: oldList) }
    bubble(from: task.listID)
  }

  private func nextDate(of task: WunderlistTask) -> String? {
    guard let unit = task.recurrenceType.flatMap(CalendarStep.Unit.init), let count = task.recurrenceCount,
      let date = task.dueDate.flatMap({ CivilDate(iso: $0) })
    else { return nil }
    return CalendarStep(unit: unit, count: Int(count)).after(date).description
  }

  mutating func deleteTask(_ id: Int64, _ request: ServerRequest) throws(WunderlistError) -> ServerResponse {
    let index = try taskIndex(id)
    try checkRevision(request, tasks[index].revision)
    let list = tasks.remove(at: index).listID
    bubble(from: list)
    return ServerResponse(status: 204)
  }

  private func set(_ fields: Fields, in task: inout WunderlistTask) throws(WunderlistError) {
    try checkTitle(fields.title)
    guard !fields.removed.contains("title") else { throw invalid("title", "can't be removed") }
    if let title = fields.title { task.title = title }
    if let list = fields.listID { task.listID = list }
    if let assignee = fields.assigneeID { task.assigneeID = assignee }
    if let starred = fields.isStarred { task.isStarred = starred }
    if let date = fields.dueDate { task.dueDate = date }
    if let type = fields.recurrenceType { task.recurrenceType = type }
    if let count = fields.recurrenceCount { task.recurrenceCount = count }
    for name in fields.removed {
      switch name {
      case "due_date": task.dueDate = nil
      case "assignee_id": task.assigneeID = nil
      case "recurrence_type": task.recurrenceType = nil
      case "recurrence_count": task.recurrenceCount = nil
      default: break
      }
    }
    guard (task.recurrenceType == nil) == (task.recurrenceCount == nil) else {
      throw invalid("recurrence_type", "needs recurrence_count, and the other way round")
    }
    if let completed = fields.isCompleted { complete(&task, completed, by: configuration.userID) }
  }

  func complete(_ task: inout WunderlistTask, _ completed: Bool, by user: Int64) {
    task.isCompleted = completed
    task.completedAt = completed ? clock.now : nil
    task.completedByID = completed ? user : nil
  }

  private func invalid(_ field: String, _ reason: String) -> WunderlistError {
    .validation(status: switches.validationStatus, [(field, [reason])])
  }
}
