internal import JSON
internal import Timing

/// Starts workflows and moves them on.
extension SAPState {
  mutating func start(
    _ definition: SAPDefinition, context: JSONValue, by user: String, parent: String? = nil, at now: Timestamp
  ) -> SAPInstance {
    var instance = SAPInstance(
      id: ids.next(at: now), definitionID: definition.id, definitionVersion: definition.version, startedAt: now,
      startedBy: user, parentInstanceID: parent, context: context)
    if environment != .sbpa { (instance.subject, instance.businessKey) = (definition.name, "") }
    instance.note("WORKFLOW_STARTED", at: now, [("userId", .init(user))])
    instances.append(instance)
    return instance
  }

  /// Goes on to the next step; an instance that was stopped meanwhile does so when it is resumed.
  mutating func advance(_ id: String, at now: Timestamp) {
    guard var instance = instances[id], let definition = definitions[instance.definitionID]?.definition else { return }
    if instance.status == .suspended || instance.status == .erroneous {
      instance.isHeld = true
      instances[id] = instance
    }
    guard instance.status == .running else { return }
    if instance.step < 0 {
      instance.subject = definition.name
      instance.businessKey = definition.businessKey.map { SAPTemplate.fill($0, from: instance.context) } ?? ""
    }
    instance.step += 1
    instances[id] = instance
    enterStep(of: id, definition, at: now)
  }

  /// Does what the instance's step asks for; after the last one it is completed.
  mutating func enterStep(of id: String, _ definition: SAPDefinition, at now: Timestamp) {
    guard var instance = instances[id] else { return }
    if definition.steps.indices.contains(instance.step) {
      switch definition.steps[instance.step] {
      case .userTask(let userTask):
        let task = makeTask(userTask, in: instance, at: now)
        tasks.append(task)
        instance.note("USERTASK_CREATED", at: now, [("taskId", .init(task.id)), ("activityId", .init(userTask.id))])
      case .message(let name): instance.awaitedMessage = name
      }
    } else {
      instance.status = .completed
      instance.completedAt = now
      instance.note("WORKFLOW_COMPLETED", at: now)
    }
    instances[id] = instance
  }

  mutating func makeTask(_ userTask: SAPUserTask, in instance: SAPInstance, at now: Timestamp) -> SAPTask {
    var task = SAPTask(
      id: ids.next(at: now), activityID: userTask.id, workflowDefinitionID: instance.definitionID,
      workflowInstanceID: instance.id, createdAt: now,
      subject: String(SAPTemplate.fill(userTask.subject, from: instance.context).prefix(255)), lastChangedAt: now)
    task.description = userTask.description.map { SAPTemplate.fill($0, from: instance.context) }
    task.priority = userTask.priority
    task.recipientUsers = userTask.recipientUsers
    task.recipientGroups = userTask.recipientGroups
    task.dueDate = userTask.dueIn.map { now + $0 }
    task.attributes = userTask.attributes
    task.outputs = userTask.outputs
    task.inputs = userTask.inputs
    return task
  }
}
