/// A step of a workflow at which a person decides.
package struct SAPUserTask: Sendable, Identifiable {
  package var id: String
  package var name: String
  /// Templates, see `SAPTemplate`.
  package var subject: String
  package var description: String?
  package var priority: SAPTask.Priority
  package var recipientUsers: [String]
  package var recipientGroups: [String]
  /// The context members that the task's form may change (checked on SBPA); nil allows all.
  package var outputs: [String]?
  /// The context members that the task's form sees (SBPA); nil shows all.
  package var inputs: [String]?
  /// From the task's creation to its due date.
  package var dueIn: Duration?
  package var attributes: [SAPTask.Attribute]

  package init(
    id: String, name: String? = nil, subject: String, description: String? = nil,
    priority: SAPTask.Priority = .medium, recipientUsers: [String] = [], recipientGroups: [String] = [],
    outputs: [String]? = nil, inputs: [String]? = nil, dueIn: Duration? = nil, attributes: [SAPTask.Attribute] = []
  ) {
    self.id = id
    self.name = name ?? id
    self.subject = subject
    self.description = description
    self.priority = priority
    self.recipientUsers = recipientUsers
    self.recipientGroups = recipientGroups
    self.outputs = outputs
    self.inputs = inputs
    self.dueIn = dueIn
    self.attributes = attributes
  }
}
