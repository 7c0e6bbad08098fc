package import JSON
package import Timing

/// A change of a task that somebody else makes; an empty one only moves `lastChangedAt`.
package struct SAPTaskEdit: Sendable {
  package var subject: String?
  package var description: String?
  package var priority: SAPTask.Priority?
  package var dueDate: Timestamp?
  package var recipientUsers: [String]?
  package var recipientGroups: [String]?
  /// Empty releases the task, anything else claims it.
  package var processor: String?
  /// Merged into the instance's, such as another amount.
  package var context: JSONValue?

  package init() {}
}
