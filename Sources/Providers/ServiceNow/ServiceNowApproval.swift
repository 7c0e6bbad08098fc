internal import RingiKit

/// A record of `sysapproval_approver`: one person's say in one matter.
struct ServiceNowApproval {
  enum State: String, CaseIterable {
    case notRequested = "not requested"
    case requested, approved, rejected, cancelled
    case notRequired = "not_required"
    case skipped, duplicate
  }

  static let table = "sysapproval_approver"

  /// The fields to ask for, those of the matter itself in the same request.
  static let fields = [
    "sys_id", "state", "approver", "approver.user_name", "sysapproval", "sysapproval.number",
    "sysapproval.short_description", "sysapproval.description", "sysapproval.sys_class_name",
    "sysapproval.opened_by.name", "document_id", "source_table", "group", "due_date", "sys_created_on",
    "sys_updated_on",
    "sys_updated_by", "sys_mod_count",
  ].joined(separator: ",")

  let id: String
  /// As the record has it; a release may have states of its own.
  let stateText: String
  /// The user who decides, by sys_id.
  let approver: String
  let json: JSONValue

  /// Reads a record; nil when it lacks what the service leaves out for logins that may not read the field.
  init?(_ json: JSONValue) {
    guard let id = json["sys_id"]?.fieldValue, let state = json["state"]?.fieldValue, !state.isEmpty,
      let approver = json["approver"]?.fieldValue, !approver.isEmpty
    else { return nil }
    (self.id, stateText, self.approver, self.json) = (id, state, approver, json)
  }

  var state: State? { State(rawValue: stateText) }

  /// The record that the approval is about: its table and its sys_id.
  var matter: (table: String, id: String)? {
    if let table = text("source_table"), let id = text("document_id") { return (table, id) }
    // The base table has the base fields alone, so it is the class that counts.
    guard let id = text("sysapproval") else { return nil }
    return (text("sysapproval.sys_class_name") ?? "task", id)
  }

  /// The approval as every client sees it.
  func item(_ id: TaskItem.ID) -> TaskItem {
    TaskItem(
      id: id, title: title, status: status, outcome: outcome, decidedBy: outcome == nil ? nil : text("sys_updated_by"),
      requester: text("sysapproval.opened_by.name"), assignees: [text("approver.user_name") ?? approver],
      createdAt: text("sys_created_on").flatMap(ServiceNowTime.time),
      dueAt: text("due_date").flatMap(ServiceNowTime.time), actions: status == .ready ? [.approve, .reject] : [],
      decisive: JSONValue(
        array: ["sysapproval.description", "sysapproval", "source_table", "document_id"].map {
          JSONValue(text($0) ?? "")
        }
      ), raw: json)
  }

  private var title: String {
    let words = [text("sysapproval.number"), text("sysapproval.short_description")].compactMap(\.self)
    if !words.isEmpty { return words.joined(separator: " ") }
    return matter.map { "Approval of \($0.table) \($0.id)" } ?? "Approval \(id)"
  }

  private var status: TaskItem.Status {
    switch state {
    case .requested: .ready
    case .approved, .rejected: .done
    case .notRequested, .cancelled, .notRequired, .skipped, .duplicate, nil: .gone
    }
  }

  private var outcome: TaskItem.Outcome? {
    switch state {
    case .approved: .approved
    case .rejected: .rejected
    case .notRequested, .requested, .cancelled, .notRequired, .skipped, .duplicate, nil: nil
    }
  }

  private func text(_ name: String) -> String? { json[name]?.fieldValue.flatMap { $0.isEmpty ? nil : $0 } }
}
