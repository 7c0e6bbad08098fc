internal import JSON

extension SAPTask {
  /// The task as the service writes it; one that `isAlone` lacks its scope, as in the service's own example.
  func json(
    _ style: SAPSwitches.NullStyle, index: Int, isAlone: Bool = false, expandsAttributes: Bool = false
  ) -> JSONValue {
    var object = SAPObjectWriter(style, index: index)
    object.add("id", id)
    object.add("activityId", activityID)
    object.add("definitionId", definitionID)
    object.add("workflowDefinitionId", workflowDefinitionID)
    object.add("workflowInstanceId", workflowInstanceID)
    object.add("status", status.rawValue)
    object.add("priority", priority.rawValue)
    object.add("subject", subject)
    object.addOptional("description", description)
    object.add("createdAt", createdAt)
    // The engine never says who; only a task that was made with a creator has one.
    if let createdBy { object.add("createdBy", createdBy) }
    object.add("lastChangedAt", lastChangedAt)
    object.addOptional("claimedAt", claimedAt)
    object.addOptional("completedAt", completedAt)
    object.addOptional("dueDate", dueDate)
    object.addOptional("processor", processor)
    object.addList("recipientUsers", recipientUsers)
    object.addList("recipientGroups", recipientGroups)
    if !isAlone { object.add("applicationScope", "own") }
    if expandsAttributes { object.add("attributes", Self.json(attributes)) }
    return object.finish()
  }

  static func json(_ attributes: [Attribute]) -> JSONValue {
    JSONValue(
      array: attributes.map { attribute in
        [
          "id": .init(attribute.id), "label": .init(attribute.label), "value": .init(attribute.value),
          "type": "string",
        ]
      })
  }
}
