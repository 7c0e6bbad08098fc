package import JSON
internal import Timing

extension SAPControl {
  /// Makes tasks, each of an instance that waits for it.
  ///
  /// - Returns: their ids, oldest first.
  @discardableResult
  package func createTasks(_ draft: SAPTaskDraft = .init(), count: Int = 1) throws(ControlError) -> [String] {
    guard (0...100_000).contains(count) else { throw .invalid("count takes a number from 0 to 100000.") }
    return try with { state throws(ControlError) in try state.createTasks(draft, count: count) }
  }

  package func changeTask(_ id: String, _ edit: SAPTaskEdit) throws(ControlError) {
    try with { state throws(ControlError) in
      _ = try state.openTask(id)
      state.change(id, edit)
    }
  }

  /// Completes a task as somebody who works in the service itself; it is not counted in `completions`.
  package func completeElsewhere(
    _ id: String, by user: String, decision: String? = nil, context: JSONValue? = nil
  ) throws(ControlError) {
    try with { state throws(ControlError) in
      let task = try state.openTask(id)
      if let context { state.mergeContext(of: task.workflowInstanceID, with: context) }
      state.complete(id, by: user, decision: decision, at: state.clock.now)
    }
  }

  /// Cancels a task's workflow, and so the task.
  package func cancelTask(_ id: String) throws(ControlError) {
    try with { state throws(ControlError) in
      let task = try state.openTask(id)
      state.setStatus(task.workflowInstanceID, .canceled, cascade: false, at: state.clock.now)
    }
  }

  /// Removes a task without a trace.
  package func deleteTask(_ id: String) throws(ControlError) {
    try with { state throws(ControlError) in
      guard state.tasks[id] != nil else { throw .notFound("There is no task \(id).") }
      state.tasks.remove { $0.id == id }
    }
  }

  package func task(_ id: String) -> SAPTask? { with { $0.tasks[id] } }

  package var tasks: [SAPTask] { with { $0.tasks.rows } }

  /// The context of the task's instance.
  package func context(ofTask id: String) -> JSONValue? {
    with { state in state.tasks[id].flatMap { state.instances[$0.workflowInstanceID]?.context } }
  }

  /// How often a task was completed over the service's API; more than once is a client's fault and the service's.
  package func completions(of id: String) -> Int { with { $0.completions[id] ?? 0 } }

  package var completions: [String: Int] { with { $0.completions } }
}

extension SAPState {
  fileprivate mutating func createTasks(_ draft: SAPTaskDraft, count: Int) throws(ControlError) -> [String] {
    guard let definition = definitions[draft.workflowDefinitionID]?.definition else {
      throw .notFound("There is no definition \(draft.workflowDefinitionID).")
    }
    let step = definition.steps.firstIndex { step in
      if case .userTask(let userTask) = step { userTask.id == draft.activityID } else { false }
    }
    guard let step, case .userTask(let userTask) = definition.steps[step] else {
      throw .notFound("The definition \(definition.id) has no user task \(draft.activityID).")
    }
    if let id = draft.workflowInstanceID, instances[id] == nil { throw .notFound("There is no instance \(id).") }
    let last = draft.createdAt ?? clock.now
    return (0..<count).map { number in
      let time = last - draft.spacing * (count - 1 - number)
      let instanceID = draft.workflowInstanceID ?? startAt(step, definition, draft, at: time)
      return createTask(draft, number: number + 1, userTask, in: instanceID, at: time)
    }
  }

  /// An instance that has come as far as the task.
  private mutating func startAt(
    _ step: Int, _ definition: SAPDefinition, _ draft: SAPTaskDraft, at time: Timestamp
  ) -> String {
    let id = start(definition, context: draft.context, by: draft.createdBy ?? "P1000009", at: time).id
    instances.update(id) { instance in
      instance.step = step
      instance.subject = definition.name
      instance.businessKey = definition.businessKey.map { SAPTemplate.fill($0, from: draft.context) } ?? ""
    }
    return id
  }

  private mutating func createTask(
    _ draft: SAPTaskDraft, number: Int, _ userTask: SAPUserTask, in instanceID: String, at time: Timestamp
  ) -> String {
    guard let instance = instances[instanceID] else { return "" }
    var task = makeTask(userTask, in: instance, at: time)
    if let subject = draft.subject { task.subject = subject.replacing("{n}", with: String(number)) }
    task.description = draft.description ?? task.description
    task.priority = draft.priority ?? task.priority
    task.createdBy = draft.createdBy
    task.dueDate = draft.dueDate ?? task.dueDate
    task.recipientUsers = draft.recipientUsers ?? task.recipientUsers
    task.recipientGroups = draft.recipientGroups ?? task.recipientGroups
    task.attributes = draft.attributes ?? task.attributes
    tasks.append(task)
    return task.id
  }

  fileprivate func openTask(_ id: String) throws(ControlError) -> SAPTask {
    guard let task = tasks[id] else { throw .notFound("There is no task \(id).") }
    guard !task.status.isFinal else { throw .invalid("The task is \(task.status.rawValue) already.") }
    return task
  }

  fileprivate mutating func change(_ id: String, _ edit: SAPTaskEdit) {
    let now = clock.now
    tasks.update(id) { task in
      task.subject = edit.subject ?? task.subject
      task.description = edit.description ?? task.description
      task.priority = edit.priority ?? task.priority
      task.dueDate = edit.dueDate ?? task.dueDate
      task.recipientUsers = edit.recipientUsers ?? task.recipientUsers
      task.recipientGroups = edit.recipientGroups ?? task.recipientGroups
      if let processor = edit.processor { task.setProcessor(processor, at: now) }
      task.lastChangedAt = now
    }
    if let context = edit.context, let task = tasks[id] { mergeContext(of: task.workflowInstanceID, with: context) }
  }
}
