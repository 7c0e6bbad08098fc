/// A workflow as it was deployed: steps one after the other.
package struct SAPDefinition: Sendable, Identifiable {
  package enum Step: Sendable {
    case userTask(SAPUserTask)
    /// Waits for a message of this name.
    case message(String)
  }

  package var id: String
  package var name: String
  package var version: String
  /// A template, see `SAPTemplate`; nil gives an empty key.
  package var businessKey: String?
  /// The types of the context's members, by name; nil takes any context.
  package var inputs: [String: SAPContextType]?
  package var steps: [Step]

  package init(
    id: String, name: String, version: String = "1", businessKey: String? = nil,
    inputs: [String: SAPContextType]? = nil, steps: [Step]
  ) {
    self.id = id
    self.name = name
    self.version = version
    self.businessKey = businessKey
    self.inputs = inputs
    self.steps = steps
  }

  var userTasks: [SAPUserTask] {
    steps.compactMap { step in if case .userTask(let task) = step { task } else { nil } }
  }

  /// A purchase with one approval, in every sandbox from the start.
  package static let purchase = SAPDefinition(
    id: "ringi_purchase", name: "Ringi purchase",
    steps: [
      .userTask(
        SAPUserTask(
          id: "usertask1", name: "Approve purchase", subject: "Approve ${context.request.qty} ${context.request.item}",
          recipientUsers: ["P1000001", "P1000002"], outputs: ["approved", "comment"]))
    ])
}
