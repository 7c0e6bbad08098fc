internal import JSON

extension SAPInstance {
  func json(
    _ style: SAPSwitches.NullStyle, index: Int, _ environment: SAPEnvironment, expandsAttributes: Bool = false
  ) -> JSONValue {
    var object = SAPObjectWriter(style, index: index)
    object.add("id", id)
    object.add("definitionId", definitionID)
    object.add("definitionVersion", definitionVersion)
    object.addOptional("subject", subject)
    object.add("status", status.rawValue)
    object.addOptional("businessKey", businessKey)
    object.add("startedAt", startedAt)
    object.add("startedBy", startedBy)
    object.addOptional("completedAt", completedAt)
    if environment == .sbpa {
      object.add("rootInstanceId", parentInstanceID ?? id)
      object.addOptional("parentInstanceId", parentInstanceID)
      object.addOptional("projectId", nil as String?)
      object.addOptional("projectVersion", nil as String?)
      object.add("applicationScope", "own")
    }
    if expandsAttributes { object.add("attributes", JSONValue.emptyArray) }
    return object.finish()
  }
}
