package import JSON
package import Timing

/// A task, or many, to be made without a workflow being started by anybody.
package struct SAPTaskDraft: Sendable {
  package var workflowDefinitionID = SAPDefinition.purchase.id
  package var activityID = "usertask1"
  /// An instance that is there; nil makes one for each task.
  package var workflowInstanceID: String?
  /// `{n}` becomes the number of the task, from 1; nil takes the definition's.
  package var subject: String?
  package var description: String?
  package var priority: SAPTask.Priority?
  package var createdBy: String?
  /// Of the last task; nil is now.
  package var createdAt: Timestamp?
  /// Between the creation of one task and the next.
  package var spacing = Duration.milliseconds(1)
  package var dueDate: Timestamp?
  /// nil takes the definition's, as with the groups and attributes.
  package var recipientUsers: [String]?
  package var recipientGroups: [String]?
  package var attributes: [SAPTask.Attribute]?
  /// Of the instance that is made.
  package var context = JSONValue.emptyObject

  package init() {}
}
