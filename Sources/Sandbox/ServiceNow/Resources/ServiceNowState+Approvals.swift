internal import Timing

/// Who decides what, and what comes of it.
extension ServiceNowState {
  private static let final: Set<String> = ["approved", "rejected", "cancelled", "not_required", "skipped", "duplicate"]

  /// Takes out of a change of an approval what is not allowed.
  ///
  /// - Returns: Whether anything is to be written; when not, the answer is the record as it is.
  /// - Throws: What the service refuses the change with.
  func mayDecide(
    _ record: ServiceNowRecord, _ values: inout [(name: String, text: String)], _ call: Call
  ) throws(ServiceNowError) -> Bool {
    let approver = users.values.first { $0.sysID == record["approver"] }
    let user = call.caller.user
    let isAllowed =
      user.isAdmin || user.sysID == record["approver"] || approver?.delegates.contains(user.name) == true
    guard isAllowed else {
      if switches.fieldACL { return false }
      throw .constraints("Update")
    }
    guard let state = values.first(where: { $0.name == "state" })?.text else { return true }
    if Self.final.contains(record["state"]) {
      switch switches.finalPatch {
      case .overwrite: return true
      case .unchanged: return false
      case .businessRule: throw .businessRule("Prevent changes of decided approvals", on: record.table)
      }
    }
    guard record["state"] == "requested", state == "approved" || state == "rejected" else {
      values.removeAll { $0.name == "state" }
      return true
    }
    if state == "approved", signed.contains(record["source_table"]) {
      if switches.signature == .unchanged { return false }
      throw .constraints("Update")
    }
    return true
  }

  /// Carries a decision over to the task and to the others who were asked.
  mutating func rollUp(after approval: ServiceNowRecord) {
    let task = approval["sysapproval"]
    guard !task.isEmpty, let record = record(task, in: "task") else { return }
    func all() -> [ServiceNowRecord] { rows(of: approval.table).filter { $0["sysapproval"] == task } }
    if oneOf.contains(task), all().contains(where: { $0["state"] == "approved" }) {
      for other in all() where other["state"] == "requested" {
        write([("state", "not_required")], to: other, by: "system")
      }
    }
    let states = all().map { $0["state"] }.filter { $0 != "not_required" }
    let state =
      if states.contains("rejected") {
        "rejected"
      } else if !states.isEmpty, states.allSatisfy({ $0 == "approved" }) {
        "approved"
      } else if states.allSatisfy({ $0 == "not requested" }) {
        "not requested"
      } else {
        "requested"
      }
    var values = [("approval", state)]
    if state == "approved" || state == "rejected" { values.append(("approval_set", clock.now.serviceNow)) }
    write(values, to: record, by: "system")
  }
}
