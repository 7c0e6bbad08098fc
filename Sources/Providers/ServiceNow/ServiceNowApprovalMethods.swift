internal import RingiKit

/// The methods `INSTANCE.approvals.…`.
@Loop
struct ServiceNowApprovalMethods {
  let approvals: ServiceNowApprovals

  private static let approval = Schema.object([:], isOpen: true).described("The approval as the service has it.")
  private static let id = Schema.string(
    "The approval's sys_id, with or without the instance's name before it.", minLength: 1)

  func register(on registrar: inout Registrar) {
    let states = ServiceNowApproval.State.allCases.map(\.rawValue)
    registrar.method(
      "approvals.list", "Lists approvals, oldest first.",
      params: .object([
        "state": .string("Which state.", enum: states).default("requested"),
        "approver": .string(
          "Whose: a user's sys_id, me (with those who have delegated to the login), or anyone.", minLength: 1
        )
        .default("me"),
        "limit": .integer("The most to give.", 1...50_000).default(1000),
      ]),
      result: .object(
        ["approvals": .array(of: Self.approval), "complete": .boolean("Whether these are all.")],
        required: ["approvals", "complete"])
    ) { params, _ in try await list(params) }
    registrar.method(
      "approvals.get", "Reads an approval.", params: .object(["id": Self.id], required: ["id"]), result: Self.approval
    ) { params, _ in try await get(try key(params)) }
    decision("approve", .approved, "Approves what waits for the login.", &registrar)
    decision("reject", .rejected, "Rejects what waits for the login.", &registrar)
  }

  private func decision(
    _ name: String, _ verdict: ServiceNowApproval.State, _ summary: String, _ registrar: inout Registrar
  ) {
    registrar.method(
      "approvals.\(name)", summary,
      params: .object(["id": Self.id, "comment": .string("The reason.", minLength: 1)], required: ["id"]),
      result: .object(
        ["approval": Self.approval, "already": .boolean("Whether it was decided so before.")],
        required: ["approval", "already"]), isMutation: true
    ) { params, _ in try await decide(verdict, params) }
  }

  private func list(_ params: JSONValue) async throws -> JSONValue {
    let approver: ServiceNowApprovals.Approver =
      switch params["approver"]?.string ?? "me" {
      case "me": .user
      case "anyone": .anyone
      case let id: .id(id)
      }
    let state = params["state"]?.string.flatMap(ServiceNowApproval.State.init) ?? .requested
    let found = try await approvals.list(state, of: approver, limit: Int(params["limit"]?.int ?? 1000))
    return [
      "approvals": JSONValue(array: found.approvals.map(\.json)), "complete": JSONValue(found.isComplete),
    ]
  }

  private func get(_ id: String) async throws -> JSONValue {
    guard let approval = try await approvals.approval(id) else {
      throw RPCError.notFound(
        "\(approvals.api.instance): there is no approval \(id.debugDescription), or this login may not see it.")
    }
    return approval.json
  }

  private func decide(_ verdict: ServiceNowApproval.State, _ params: JSONValue) async throws -> JSONValue {
    let id = try key(params)
    do {
      return [
        "approval": try await approvals.decide(verdict, id, comment: params["comment"]?.string).json, "already": false,
      ]
    } catch let error as ServiceNowApprovals.NotOpen {
      return try decided(error.approval, verdict, isRepeated: true)
    } catch let unclear as UnclearOutcome {
      let seen = try await ReadBack.settle(clock: approvals.api.clock) {
        try await approvals.approval(id).flatMap { $0.state == .requested ? nil : $0 }
      }
      guard let seen else {
        throw RPCError.outcomeUnknown(unclear, at: approvals.api.instance, "read the approval \(id) again later")
      }
      return try decided(seen, verdict, isRepeated: false)
    }
  }

  private func decided(
    _ approval: ServiceNowApproval, _ verdict: ServiceNowApproval.State, isRepeated: Bool
  ) throws -> JSONValue {
    guard approval.state == verdict else {
      throw RPCError.conflict(
        "\(approvals.api.instance): the approval is \(approval.stateText) already; look at it before doing anything more.",
        details: ["approval": approval.json])
    }
    return ["approval": approval.json, "already": JSONValue(isRepeated)]
  }

  private func key(_ params: JSONValue) throws(RPCError) -> String { try params.ownID(of: approvals.api.instance) }
}
