package import Timing

/// The world around the service, played by a controller: what others do there.
extension ServiceNowState {
  /// What somebody asks to be approved.
  package struct ApprovalDraft: Sendable {
    /// `{n}` is the number of the request.
    package var title = "Replace the disks {n}"
    package var description = ""
    package var requester = "admin"
    /// Who is asked, by user name; each gets an approval of their own.
    package var approvers = ["hanako"]
    package var table = "change_request"
    package var state = "requested"
    package var dueDate: Timestamp?
    /// Whether one approval of several is enough.
    package var isOneOf = false
    /// The time between two requests.
    package var spacing = Duration.seconds(1)

    package init() {}
  }

  /// Makes requests, the last of them now.
  ///
  /// - Returns: The sys_ids of the approvals, oldest first.
  /// - Throws: `ControlError` for a user or table that is not there.
  @discardableResult
  package mutating func makeApprovals(
    _ draft: ApprovalDraft = ApprovalDraft(), count: Int = 1
  ) throws(ControlError) -> [String] {
    guard tables[draft.table]?.parent == "task" || draft.table == "task" else {
      throw .invalid("table takes task or a table that extends it, not \(draft.table).")
    }
    let requester = try user(draft.requester)
    let approvers = try draft.approvers.map { name throws(ControlError) in try user(name) }
    var ids: [String] = []
    for number in 0..<count {
      let moment = clock.now - draft.spacing * (count - 1 - number)
      let task = make(
        draft.table,
        [
          "short_description": draft.title.replacing("{n}", with: "\(number + 1)"), "description": draft.description,
          "opened_by": requester.sysID, "approval": "requested", "active": "true",
        ], by: requester.name, at: moment)
      if draft.isOneOf { oneOf.insert(task) }
      for approver in approvers {
        ids.append(
          make(
            "sysapproval_approver",
            [
              "state": draft.state, "approver": approver.sysID, "sysapproval": task, "document_id": task,
              "source_table": draft.table, "due_date": draft.dueDate?.serviceNow ?? "",
            ], by: requester.name, at: moment))
      }
    }
    return ids
  }

  /// Makes a record as somebody else, no questions asked.
  ///
  /// - Returns: Its sys_id.
  /// - Throws: `ControlError` for an unknown table.
  package mutating func makeRecord(_ table: String, _ fields: [String: String]) throws(ControlError) -> String {
    guard tables[table] != nil else { throw .notFound("There is no table \(table).") }
    return make(table, fields, by: "admin")
  }

  /// Changes a record as somebody else, no questions asked.
  ///
  /// - Throws: `ControlError` for an unknown record.
  package mutating func changeRecord(
    _ table: String, _ id: String, _ fields: [String: String], by user: String = "admin"
  ) throws(ControlError) {
    guard let record = record(id, in: table) else { throw .notFound("There is no record \(id) in \(table).") }
    write(fields.map { ($0.key, $0.value) }, to: record, by: user)
    if record.table == "sysapproval_approver" { rollUp(after: record) }
  }

  package mutating func deleteRecord(_ table: String, _ id: String) throws(ControlError) {
    guard let record = record(id, in: table) else { throw .notFound("There is no record \(id) in \(table).") }
    records[record.table]?.remove { $0.id == id }
  }

  /// Cancels a task: nobody's approval of it is needed any more.
  ///
  /// - Throws: `ControlError` for an unknown task.
  package mutating func cancelTask(_ id: String) throws(ControlError) {
    guard let task = record(id, in: "task") else { throw .notFound("There is no task \(id).") }
    write([("active", "false")], to: task, by: "admin")
    for approval in rows(of: "sysapproval_approver")
    where approval["sysapproval"] == id && ["requested", "not requested"].contains(approval["state"]) {
      write([("state", "not_required")], to: approval, by: "system")
    }
  }

  /// The fields of a record as they are kept; nil for an unknown one.
  package func fields(_ table: String, _ id: String) -> [String: String]? { record(id, in: table)?.fields }

  /// What was written into a journal, the oldest first.
  package func journal(of id: String) -> [String] {
    rows(of: "sys_journal_field").filter { $0["element_id"] == id }.map { $0["value"] }
  }

  package func count(of table: String) -> Int { rows(of: table).count }

  /// Logs somebody in, as the page of the login would.
  ///
  /// - Returns: A refresh token of the standard client.
  package mutating func makeRefreshToken(for user: String) -> String {
    newRefresh(for: .init(client: ServiceNowClient.standardID, user: user), at: clock.now)
  }

  package mutating func revokeTokens(refreshTokensToo: Bool = false) {
    tokens.revokeAccess()
    if refreshTokensToo { tokens.revokeRefresh() }
  }

  package mutating func expireSessions() { sessions.expire() }

  /// Adds or changes a user.
  package mutating func setUser(_ user: ServiceNowUser) {
    if users.updateValue(user, forKey: user.name) == nil { keepRecord(of: user) }
  }

  private func user(_ name: String) throws(ControlError) -> ServiceNowUser {
    guard let user = users[name] else { throw .invalid("There is no user \(name).") }
    return user
  }
}
