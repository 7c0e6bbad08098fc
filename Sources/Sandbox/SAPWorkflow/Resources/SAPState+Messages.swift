internal import HTTPServer
internal import JSON

/// Messages that waiting workflow instances consume.
extension SAPState {
  mutating func sendMessage(_ call: SAPCall) throws(SAPError) -> ServerResponse {
    let body = try call.object()
    let name = try body.string("definitionId")
    let instanceID = try body.string("workflowInstanceId")
    let definitionID = try body.string("workflowDefinitionId")
    let businessKey = try body.string("businessKey")
    let context = try body.objectMember("context") ?? .emptyObject
    // One instance, or a definition with a business key; never both, never half.
    let namesInstance = instanceID != nil
    let namesPair = definitionID != nil && businessKey != nil
    let namesHalf = (definitionID == nil) != (businessKey == nil)
    guard let name, namesInstance != namesPair, !namesHalf else { throw .notJSON }
    try call.require(.messageSend)
    let consumers = instances.rows.filter { instance in
      instance.status == .running && instance.awaitedMessage == name && !isBusy(instance.id)
        && (namesInstance
          ? instance.id == instanceID
          : instance.definitionID == definitionID && instance.businessKey == businessKey)
    }
    guard !consumers.isEmpty else {
      throw .envelope(422, code: "message.no.match", message: "No workflow instance waits for the message.")
    }
    for consumer in consumers {
      mergeContext(of: consumer.id, with: context)
      instances.update(consumer.id) { $0.awaitedMessage = nil }
      later(.advance(consumer.id), at: call.now)
    }
    return .json(JSONValue(array: consumers.map { ["id": .init($0.id)] as JSONValue }))
  }
}
