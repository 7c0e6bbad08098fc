internal import JSON
internal import Timing

extension Command {
  static let task = Command(
    name: "task", operands: "TASK", operandCount: 1...1,
    summary: "Shows one task: who asks for what, its history, its context",
    details: """
      TASK is an id, the beginning of one that no other id begins with, or "newest" or "oldest" (of the ready ones).
      """,
    examples: [
      ("ringi task newest", "the one that came last"),
      ("ringi task sap/4005b254", "by the beginning of its id"),
      ("ringi task sap/4005b254 --json | jq .raw", "as the backend tells it"),
    ],
    run: TaskDetails.run)
}

/// One task, a field per line.
enum TaskDetails {
  static func run(_ invocation: Invocation) throws(Failure) {
    let result = try invocation.call("tasks.get", ["task": invocation.task])
    guard !invocation.wantsJSON else { return invocation.output.json(result) }
    let task = TaskView(json: result)
    invocation.output.line(Styled(task.title, .bold))
    Fields.print(fields(of: task, in: invocation.surroundings), to: invocation.output)
    section("Context", Fields.flattened(task.json["context"] ?? .null), invocation.output)
    let history = Listing.rows(task.json["history"] ?? .null, "").map { step in
      (Moment.local(step["time"], in: invocation.surroundings), Styled(Fields.plainText(step["what"])))
    }
    section("History", history, invocation.output)
  }

  private static func section(_ title: String, _ fields: [(String, Styled)], _ output: Output) {
    guard !fields.isEmpty else { return }
    output.line()
    output.line(Styled(title, .bold))
    Fields.print(fields, to: output)
  }

  private static func fields(of task: TaskView, in surroundings: Surroundings) -> [(String, Styled)] {
    let now = surroundings.now()
    func moment(_ key: String, _ timestamp: Timestamp?) -> Styled? {
      guard let timestamp else { return task.text(key).map { Styled($0) } }
      return Styled("\(LocalTime(timestamp, in: surroundings).text) (\(timestamp.relativeText(now: now)))")
    }
    func list(_ key: String) -> Styled? {
      let texts = (task.json[key]?.array.map(Array.init) ?? []).compactMap(\.string)
      return texts.isEmpty ? nil : Styled(texts.joined(separator: ", "))
    }
    let fields: [(String, Styled?)] = [
      ("id", Styled(task.id, .cyan)), ("provider", task.text("provider").map { Styled($0) }),
      ("status", Styled(task.state)), ("requester", task.requester.map { Styled($0) }),
      ("assignees", list("assignees")), ("priority", task.priority.map { _ in task.priorityCell }),
      ("created", moment("createdAt", task.createdAt)), ("due", moment("dueAt", task.dueAt)),
      ("url", task.text("url").map { Styled($0) }), ("actions", list("actions")),
      ("revision", task.text("revision").map { Styled($0) }),
    ]
    return fields.compactMap { name, value in value.map { (name, $0) } }
  }
}
