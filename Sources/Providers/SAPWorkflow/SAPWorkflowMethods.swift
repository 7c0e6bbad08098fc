internal import RingiKit

/// The methods `INSTANCE.workflow.…`.
@Loop
struct SAPWorkflowMethods {
  let api: SAPAPI

  private static let instance = Schema.object([:], isOpen: true).described(
    "The workflow instance as the service has it.")
  private static let id = Schema.string("The workflow instance's id.", minLength: 1, maxLength: 255)

  func register(on registrar: inout Registrar) {
    registrar.method(
      "workflow.start", "Starts a workflow.",
      params: .object(
        [
          "definitionId": .string("Which workflow.", minLength: 1, maxLength: 64),
          "context": .object([:], isOpen: true).described("What it begins with.").default(.emptyObject),
        ], required: ["definitionId"]), result: Self.instance, isMutation: true
    ) { params, _ in try await start(params) }
    registrar.method(
      "workflow.list", "Lists workflow instances; without a status the running and erroneous ones.",
      params: SAPLists.params(.instances), result: SAPLists.result("instances")
    ) { params, _ in try await SAPLists.rows(.instances, "instances", api, params) }
    registrar.method(
      "workflow.get", "Reads a workflow instance.", params: .object(["id": Self.id], required: ["id"]),
      result: Self.instance
    ) { params, _ in try await get(params) }
    registrar.method(
      "workflow.context", "Reads a workflow instance's context.", params: .object(["id": Self.id], required: ["id"]),
      result: .object([:], isOpen: true)
    ) { params, _ in try await context(params) }
    change("cancel", to: "CANCELED", "Cancels a workflow instance and its open tasks.", &registrar)
    change("suspend", to: "SUSPENDED", "Suspends a workflow instance until it is resumed.", &registrar)
    change("resume", to: "RUNNING", "Resumes a suspended instance, or retries an erroneous one.", &registrar)
  }

  private func change(_ name: String, to status: String, _ summary: String, _ registrar: inout Registrar) {
    registrar.method(
      "workflow.\(name)", summary,
      params: .object(
        ["id": Self.id, "cascade": .boolean("Whether subflows follow.").default(false)], required: ["id"]),
      result: .object(
        [
          "instance": Self.instance,
          "pending": .boolean("Whether the service took the change on and does not show it yet."),
        ], required: ["instance", "pending"]), isMutation: true
    ) { params, _ in try await change(params, to: status) }
  }

  private func start(_ params: JSONValue) async throws -> JSONValue {
    let body: JSONValue = ["definitionId": params["definitionId"] ?? .null, "context": params["context"] ?? [:]]
    do {
      return try api.json(ofWrite: try await api.write(.post, ["workflow-instances"], body))
    } catch let unclear as UnclearOutcome {
      throw RPCError.outcomeUnknown(
        unclear, at: api.instance, "look with \(api.instance).workflow.list before starting another")
    }
  }

  private func get(_ params: JSONValue) async throws -> JSONValue {
    let id = params["id"]?.string ?? ""
    guard let instance = try await api.record(["workflow-instances", id]) else { throw unknownInstance(id) }
    return instance
  }

  private func context(_ params: JSONValue) async throws -> JSONValue {
    let id = params["id"]?.string ?? ""
    guard let context = try await api.record(["workflow-instances", id, "context"]) else { throw unknownInstance(id) }
    return context
  }

  /// The service says only that it will; whether it did shows when the instance is read.
  private func change(_ params: JSONValue, to status: String) async throws -> JSONValue {
    let id = params["id"]?.string ?? ""
    var doubt: UnclearOutcome?
    do {
      let body: JSONValue = ["status": JSONValue(status), "cascade": params["cascade"] ?? false]
      try await api.write(.patch, ["workflow-instances", id], body)
    } catch let unclear as UnclearOutcome {
      doubt = unclear
    } catch let error as RPCError where error.details["code"]?.string == "bpm.workflowruntime.instance.status.invalid" {
      return try await alreadyThere(params, status, error)
    }
    let done = try await ReadBack.settle(clock: api.clock) { () -> JSONValue? in
      let instance = try await api.record(["workflow-instances", id])
      return instance?["status"]?.string == status ? instance : nil
    }
    if let done { return ["instance": done, "pending": false] }
    if let doubt { throw RPCError.outcomeUnknown(doubt, at: api.instance, "read the instance \(id) again later") }
    let instance = try await ReadBack.afterChange(at: api.instance) { try await get(params) }
    return ["instance": instance, "pending": true]
  }

  /// A change that the instance's status does not allow; to the one it has is none.
  private func alreadyThere(_ params: JSONValue, _ status: String, _ refusal: RPCError) async throws -> JSONValue {
    let instance = try await get(params)
    guard instance["status"]?.string == status else {
      throw RPCError.conflict(refusal.message, details: refusal.details.merging(["instance": instance]) { $1 })
    }
    return ["instance": instance, "pending": false]
  }

  private func unknownInstance(_ id: String) -> RPCError {
    .notFound("\(api.instance): the service knows no workflow instance \(id.debugDescription).")
  }
}
