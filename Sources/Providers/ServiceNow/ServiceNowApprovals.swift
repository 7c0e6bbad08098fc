internal import RingiKit

/// Approvals as the service keeps them: finding those that wait for the user, and deciding them.
@Loop
final class ServiceNowApprovals {
  /// An approval does not wait for anybody any more.
  struct NotOpen: Error { let approval: ServiceNowApproval }

  /// Whose approvals.
  enum Approver {
    /// The login's, and those of who delegated to it.
    case user
    case anyone
    case id(String)
  }

  struct Found {
    let approvals: [ServiceNowApproval]
    let isComplete: Bool
  }

  let api: ServiceNowAPI
  private let settings: ServiceNowSettings
  /// The login's own sys_id.
  private var userID: String?

  init(_ api: ServiceNowAPI, settings: ServiceNowSettings) {
    self.api = api
    self.settings = settings
  }

  // MARK: Reading

  /// The approvals of a state, oldest first.
  ///
  /// The service leaves out of a query what it does not understand, and answers with more; so each row is looked at
  /// again.
  ///
  /// - Throws: `RPCError`.
  func list(_ state: ServiceNowApproval.State, of approver: Approver, limit: Int) async throws -> Found {
    let query = try ["state=\(state.rawValue)"] + clause(approver) + ["ORDERBYsys_created_on", "ORDERBYsys_id"]
    let list = ServiceNowList(api: api)
    let found = try await list.rows(
      ServiceNowApproval.table,
      [("sysparm_query", query.joined(separator: "^")), ("sysparm_fields", ServiceNowApproval.fields)], limit: limit)
    let approvals = try found.rows.map { row in
      guard let approval = ServiceNowApproval(row) else {
        throw api.failure.malformed(
          "an approval shows no state or no approver, which the login may have to be allowed to see")
      }
      return approval
    }
    let wanted = try await wanted(approver, among: approvals)
    let fitting = approvals.filter { $0.state == state && wanted?.contains($0.approver) ?? true }
    if fitting.count < approvals.count {
      api.log(.warning, "the answer to a query held \(approvals.count - fitting.count) approvals that do not fit it")
    }
    return Found(approvals: fitting, isComplete: found.isComplete)
  }

  /// One approval; nil when there is none that the login may see.
  ///
  /// - Throws: `RPCError`.
  func approval(_ id: String) async throws -> ServiceNowApproval? {
    let query = [("sysparm_fields", ServiceNowApproval.fields)]
    guard let json = try await api.record(ServiceNowApproval.table, id, query) else { return nil }
    guard let approval = ServiceNowApproval(json) else {
      throw api.failure.malformed(
        "an approval shows no state or no approver, which the login may have to be allowed to see")
    }
    return approval
  }

  /// The record that an approval is about, with the texts that people see; nil when the login may not see it.
  ///
  /// - Throws: `RPCError`.
  func matter(of id: String) async throws -> JSONValue? {
    guard let matter = try await approval(id)?.matter else { return nil }
    return try await api.record(matter.table, matter.id, [("sysparm_display_value", "all")])
  }

  private func clause(_ approver: Approver) throws -> [String] {
    switch approver {
    case .anyone: return []
    case .user:
      return ["approver=javascript:gs.getUserID()"] + settings.delegators.map { "ORapprover=\($0)" }
    case .id(let id):
      guard ServiceNowQuery.canStand(id) else {
        throw RPCError.invalidParams(
          "approver got \(id.debugDescription), but takes a sys_id, in which there is no ^ and no comma.")
      }
      return ["approver=\(id)"]
    }
  }

  /// Whose approvals the rows may be; nil for anybody's.
  private func wanted(_ approver: Approver, among rows: [ServiceNowApproval]) async throws -> Set<String>? {
    switch approver {
    case .anyone: return nil
    case .id(let id): return [id]
    case .user:
      if rows.isEmpty { return [] }
      let known = try await deciders()
      if rows.allSatisfy({ known.contains($0.approver) }) { return known }
      // The login may be another user's by now.
      userID = nil
      return try await deciders()
    }
  }

  /// Those for whom the login decides.
  private func deciders() async throws -> Set<String> { Set([try await user()] + settings.delegators) }

  private func user() async throws -> String {
    if let userID { return userID }
    let id = try await ownRecord().id
    userID = id
    return id
  }

  /// Who the login is now, as the instance names them to people.
  ///
  /// - Throws: `RPCError`.
  func nameOfUser() async throws -> String {
    // Whoever it was before, also when the instance doesn't tell now.
    userID = nil
    let own = try await ownRecord()
    userID = own.id
    return own.name
  }

  private func ownRecord() async throws -> (id: String, name: String) {
    let found = try await ServiceNowList(api: api).rows(
      "sys_user",
      [
        ("sysparm_query", "sys_id=javascript:gs.getUserID()^ORDERBYsys_id"),
        ("sysparm_fields", "sys_id,user_name,name"),
      ], limit: 2)
    guard found.rows.count == 1, let row = found.rows.first, let id = row["sys_id"]?.fieldValue else {
      throw api.failure.malformed(
        "the login's own record in sys_user is not the one that is found; let the login read it")
    }
    let names = ["name", "user_name"].compactMap { row[$0]?.fieldValue }
    return (id, names.first { !$0.isEmpty } ?? id)
  }

  // MARK: Deciding

  /// The body of a decision.
  func body(_ verdict: ServiceNowApproval.State, comment: String?) -> JSONValue {
    let comment = comment ?? (verdict == .rejected ? settings.rejectionComment : nil)
    let state: JSONValue = ["state": JSONValue(verdict.rawValue)]
    return comment.map { state.setting("comments", to: JSONValue($0)) } ?? state
  }

  static let decisionQuery = [("sysparm_fields", "sys_id,state,sys_updated_on,sys_updated_by,sys_mod_count")]

  /// Approves or rejects: a look, one write, and a look at what it made.
  ///
  /// The service compares nothing itself, so the look before keeps the time short in which somebody else's decision
  /// could be overwritten.
  ///
  /// - Throws: `NotOpen` when somebody was first; `UnclearOutcome` when no answer tells; `RPCError` when nothing happened.
  func decide(
    _ verdict: ServiceNowApproval.State, _ id: String, comment: String?
  ) async throws -> ServiceNowApproval {
    let before = try await open(id)
    let response: HTTPResponse
    do {
      response = try await api.write(
        .patch, [ServiceNowApproval.table, id], Self.decisionQuery, body(verdict, comment: comment))
    } catch let error as RPCError where error.kind == "backend-error" && error.details["status"] == 403 {
      // A rule that keeps decided approvals as they are refuses so.
      if let now = try? await approval(id), now.state != .requested { throw NotOpen(approval: now) }
      throw notTaken(error)
    }
    let answer = try api.result(ofWrite: response, to: id)
    let after = ServiceNowApproval(before.json.merging(answer)) ?? before
    switch answer["state"]?.fieldValue {
    case verdict.rawValue: return after
    case ServiceNowApproval.State.requested.rawValue: throw notTaken(nil)
    case nil, "":
      throw UnclearOutcome(cause: api.failure.malformed("the answer to a decision shows no state"))
    default: throw NotOpen(approval: (try? await approval(id)) ?? after)
    }
  }

  /// The approval, if it waits for this login.
  private func open(_ id: String) async throws -> ServiceNowApproval {
    guard let approval = try await approval(id) else {
      throw RPCError.notFound(
        "\(api.instance): there is no approval \(id.debugDescription), or this login may not see it; nothing was sent.")
    }
    guard approval.state == .requested else { throw NotOpen(approval: approval) }
    if try await deciders().contains(approval.approver) { return approval }
    userID = nil
    guard try await deciders().contains(approval.approver) else {
      let who = approval.json["approver.user_name"]?.fieldValue ?? approval.approver
      throw RPCError.conflict(
        "\(api.instance): the approval waits for \(who), and not for this login; nothing was sent. If \(who) has delegated to it, add them to the delegators of the settings.",
        details: ["approval": approval.json])
    }
    return approval
  }

  /// The error for an approval that is as it was.
  private func notTaken(_ cause: RPCError?) -> RPCError {
    let why = cause.map { " (\($0.message))" } ?? ""
    return .backendError(
      provider: api.instance, status: cause == nil ? 200 : 403,
      message:
        "\(api.instance): the approval is as it was\(why): it needs a signature in the browser, or a rule or a right keeps it; decide it in the browser.",
      details: (cause?.details ?? [:]).merging(["message": JSONValue(cause?.message ?? "unchanged")]) { old, _ in old })
  }
}
