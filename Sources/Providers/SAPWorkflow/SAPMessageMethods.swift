internal import RingiKit

/// The methods `INSTANCE.message.…`.
@Loop
struct SAPMessageMethods {
  let api: SAPAPI

  /// A workflow may be about to wait for the message.
  private static let pauses: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2)]

  func register(on registrar: inout Registrar) {
    registrar.method(
      "message.send", "Sends a message to the workflow instances that wait for it.",
      params: .object(
        [
          "definitionId": .string("The message's name.", minLength: 1),
          "workflowInstanceId": .string(
            "To one instance, by its id; or else to several, by the next two.", minLength: 1),
          "workflowDefinitionId": .string("To the instances of a workflow …", minLength: 1),
          "businessKey": .string("… with this business key.", minLength: 1),
          "context": .object([:], isOpen: true).described("What the message carries.").default(.emptyObject),
        ], required: ["definitionId"]),
      result: .object(
        ["consumers": .array("Who took it.", of: .object(["id": .string()], isOpen: true))], required: ["consumers"]),
      isMutation: true
    ) { params, _ in try await send(params) }
  }

  private func send(_ params: JSONValue) async throws -> JSONValue {
    let byInstance = params["workflowInstanceId"] != nil
    let byKey = [params["workflowDefinitionId"], params["businessKey"]].compactMap(\.self).count
    guard byInstance ? byKey == 0 : byKey == 2 else {
      throw RPCError.invalidParams(
        "message.send takes either workflowInstanceId, or workflowDefinitionId together with businessKey.")
    }
    do {
      return ["consumers": try await consumers(params)]
    } catch let unclear as UnclearOutcome {
      throw RPCError.outcomeUnknown(unclear, at: api.instance, "read the workflow instance before sending it again")
    }
  }

  private func consumers(_ params: JSONValue) async throws -> JSONValue {
    var pauses = Self.pauses[...]
    while true {
      do {
        return try api.json(ofWrite: try await api.write(.post, ["messages"], params))
      } catch let error as RPCError where error.details["code"]?.string == "bpm.workflowruntime.message.no.match" {
        guard let pause = pauses.popFirst() else { throw nobodyWaits(error) }
        try await api.clock.sleep(for: pause)
      }
    }
  }

  private func nobodyWaits(_ error: RPCError) -> RPCError {
    var error = error
    error.isRetryable = true
    error.message =
      "\(api.instance): no workflow instance waits for this message; it may not be so far, or be suspended."
    return error
  }
}
