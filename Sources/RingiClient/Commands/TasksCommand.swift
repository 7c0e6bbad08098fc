internal import JSON
internal import Timing

extension Command {
  static let tasks = Command(
    name: "tasks",
    summary: "Shows the tasks that wait for you",
    details: """
      On a terminal the table is made to fit: ids are cut to what tells them apart, then titles are cut, then columns
      leave. In a pipe nothing is cut. Where an ID ends with "…", the part before it names the task.
      """,
    options: [
      Option(name: "provider", value: "NAME", help: "of this plugin instance only"),
      Option(name: "status", value: "STATUS", help: "ready (the default), claimed, done, gone or all"),
      Option(name: "query", value: "TEXT", help: "whose text contains this"),
      Option(name: "limit", value: "N", help: "at most so many (default: all)"),
    ],
    examples: [
      ("ringi tasks", "what waits for you"),
      ("ringi tasks --provider sap --query 300280", "orders of one kind"),
      ("ringi tasks --status done --limit 10", "what was decided"),
      ("ringi tasks --json | jq -r '.tasks[].title'", "for a program"),
    ],
    run: TaskList.run)
}

/// The table of tasks.
enum TaskList {
  static func run(_ invocation: Invocation) throws(Failure) {
    let result = try fetch(invocation)
    if invocation.wantsJSON {
      invocation.output.json(result)
    } else {
      let tasks = (result["tasks"]?.array.map(Array.init) ?? []).map(TaskView.init)
      if tasks.isEmpty {
        invocation.output.line(Styled(emptySentence(invocation)))
      } else {
        invocation.output.table(fitted(tasks, invocation))
      }
    }
    warn(of: result["stale"], invocation)
  }

  /// Asks for one page, or without a limit for all of them.
  private static func fetch(_ invocation: Invocation) throws(Failure) -> JSONValue {
    let limit = try invocation.count("limit")
    let filter = ParameterText.members([
      ("provider", invocation.text("provider")), ("status", invocation.text("status")),
      ("query", invocation.text("query")), ("limit", limit),
    ])
    var result = try invocation.call("tasks.list", filter)
    guard limit == nil else { return result }
    while let cursor = result["nextCursor"], !cursor.isNull {
      let page = try invocation.call("tasks.list", filter.setting("cursor", to: cursor))
      let tasks = [result, page].flatMap { $0["tasks"]?.array.map(Array.init) ?? [] }
      result = result.setting("tasks", to: JSONValue(array: tasks)).setting("nextCursor", to: page["nextCursor"])
    }
    return result
  }

  /// The table with whole ids where they fit, else with short ones.
  private static func fitted(_ tasks: [TaskView], _ invocation: Invocation) -> Table {
    let now = invocation.surroundings.now()
    let whole = table(tasks, ids: tasks.map(\.id), now: now)
    guard let columns = invocation.output.columns, whole.naturalWidth > columns else { return whole }
    return table(tasks, ids: ShortIdentifiers.shortened(tasks.map(\.id)), now: now)
  }

  private static func table(_ tasks: [TaskView], ids: [String], now: Timestamp) -> Table {
    let showsState = tasks.contains { $0.status != "ready" }
    var columns = [
      Table.Column(title: "ID"),
      Table.Column(title: "TITLE", minimum: 16),
      Table.Column(title: "REQUESTER", minimum: 9, leaves: 2),
      Table.Column(title: "PRIORITY", leaves: 3),
      Table.Column(title: "AGE", leaves: 1),
      Table.Column(title: "DUE", leaves: 4),
    ]
    if showsState { columns.insert(Table.Column(title: "STATUS", leaves: 5), at: 2) }
    let rows = zip(tasks, ids).map { task, id in
      var row = [
        Styled(id, .cyan), Styled(task.title), Styled(task.requester ?? "-"), task.priorityCell,
        Styled(task.createdAt?.relativeText(now: now) ?? "-"), task.dueCell(now: now),
      ]
      if showsState { row.insert(Styled(task.state), at: 2) }
      return row
    }
    return Table(columns: columns, rows: rows)
  }

  private static func emptySentence(_ invocation: Invocation) -> String {
    let isFiltered = ["provider", "status", "query"].contains { invocation.arguments.has($0) }
    return isFiltered
      ? "No task fits. `ringi tasks` without options shows all that wait for you."
      : "Nothing waits for you. `ringi watch` tells when something does."
  }

  /// Says whose tasks may be out of date.
  private static func warn(of stale: JSONValue?, _ invocation: Invocation) {
    let only = invocation.arguments.value("provider")
    let providers = (stale?.array.map(Array.init) ?? []).compactMap(\.string).filter { only == nil || $0 == only }
    guard !providers.isEmpty else { return }
    invocation.note(
      "the last poll of \(providers.joined(separator: ", ")) failed; what is shown of it may be out of date. "
        + "`ringi plugins` says why.")
  }
}
