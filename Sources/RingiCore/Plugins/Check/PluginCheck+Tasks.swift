internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit
internal import RingiModel

/// The calls of a task source that only read.
extension PluginCheck {
  private static let members = [
    "id", "title", "status", "outcome", "decidedBy", "requester", "url", "assignees", "priority", "createdAt", "dueAt",
    "actions", "decisive", "raw",
  ]

  func checkTasks(hasContexts: Bool) async throws {
    let (answer, began) = try await ask("tasks.list", "tasks.list", .emptyObject)
    var findings: [PluginReport.Finding] = []
    let tasks = list(answer, &findings)
    note("tasks.list", findings, since: began)
    if let task = tasks.first { try await get(task) }
    try await getUnknown()
    if hasContexts, let task = tasks.first { try await context(task.id) }
  }

  // MARK: The list

  private func list(
    _ answer: Result<JSONValue, RPCError>, _ findings: inout [PluginReport.Finding]
  ) -> [TaskItem] {
    let expected = "{\"tasks\": […]}"
    let result: JSONValue
    switch answer {
    case .success(let value): result = value
    case .failure(let error):
      findings.append(.departure(expected: expected, got: Self.text(error)))
      return []
    }
    guard let records = result["tasks"]?.array ?? result.array else {
      findings.append(.departure(expected: expected, got: "\(result)"))
      return []
    }
    if let complete = result["complete"], complete.bool == nil {
      findings.append(.departure(expected: "complete is true or false", got: "\(complete)"))
    }
    var tasks: [TaskItem] = []
    for record in records {
      guard let task = read(record, &findings) else { continue }
      if tasks.contains(where: { $0.id == task.id }) {
        findings.append(.departure(expected: "each task once", got: "the task \(task.id.key) twice"))
      }
      if !task.status.isOpen {
        findings.append(
          .departure(expected: "open tasks", got: "the task \(task.id.key), which is \(task.status.rawValue)"))
      }
      tasks.append(task)
    }
    return tasks
  }

  private func read(_ record: JSONValue, _ findings: inout [PluginReport.Finding]) -> TaskItem? {
    do throws(RPCError) {
      let task = try PluginTask.read(record, of: file.instance)
      findings += ManifestRemarks.unknown(record.object?.map { $0.key } ?? [], Self.members, "The task \(task.id.key)")
      if task.title.isEmpty { findings.append(.remark("The task \(task.id.key) has no title.")) }
      return task
    } catch {
      findings.append(.departure(expected: "a task as docs/plugins.md has it", got: "\(error.message) It is \(record)"))
      return nil
    }
  }

  private static func text(_ error: RPCError) -> String {
    "error \(error.details["code"]?.string ?? String(error.code)): \(error.message)"
  }

  // MARK: One task

  private func get(_ listed: TaskItem) async throws {
    let (answer, began) = try await ask("tasks.get", "tasks.get", ["task": JSONValue(listed.id.key)])
    var findings: [PluginReport.Finding] = []
    switch answer {
    case .failure(let error) where PeerError.isUnknownMethod(error):
      findings.append(
        .remark("It has no tasks.get; the agent looks through the list instead, and finds no decided task there."))
    case .failure(let error):
      findings.append(.departure(expected: "the task \(listed.id.key)", got: Self.text(error)))
    case .success(let result) where result.isNull:
      findings.append(.remark("The task \(listed.id.key) was listed, and is not there a moment later."))
    case .success(let result):
      guard let task = read(result["task"] ?? result, &findings) else { break }
      if task.id != listed.id {
        findings.append(.departure(expected: "the task \(listed.id.key)", got: "the task \(task.id.key)"))
      } else if task.revision != listed.revision {
        findings.append(
          .remark(
            "tasks.get and tasks.list differ about the task \(task.id.key) in title, requester, priority, dueAt or decisive; where it hasn't changed, that makes for needless task-changed events."
          ))
      }
    }
    note("tasks.get", findings, since: began)
  }

  /// Asks for a task that there is not.
  private func getUnknown() async throws {
    let step = "tasks.get of no task"
    let (answer, began) = try await ask(step, "tasks.get", ["task": JSONValue(Self.strangeTask)])
    let got: String?
    switch answer {
    case .success(let result): got = result.isNull ? nil : "the result \(result)"
    case .failure(let error): got = PeerError.isUnknownMethod(error) ? nil : Self.text(error)
    }
    note(step, got.map { [.departure(expected: "null", got: $0)] } ?? [], since: began)
  }

  private func context(_ task: TaskItem.ID) async throws {
    let (answer, began) = try await ask("tasks.context", "tasks.context", ["task": JSONValue(task.key)])
    var findings: [PluginReport.Finding] = []
    if case .failure(let error) = answer {
      findings.append(
        .departure(expected: "what a person should read of the task \(task.key), or null", got: Self.text(error)))
    }
    note("tasks.context", findings, since: began)
  }
}
