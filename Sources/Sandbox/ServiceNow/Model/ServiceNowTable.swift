/// A table's columns.
package struct ServiceNowTable: Sendable {
  package enum Kind: Sendable, Equatable {
    case text
    /// The sys_id of a record of a table.
    case reference(String)
    /// The sys_id of a record of the table that another column names.
    case document(String)
    /// `2026-03-02 01:15:09`, UTC.
    case time
    /// What is written is appended to `sys_journal_field`, and reading gives nothing.
    case journal
    /// Values with labels.
    case choice([String: String])
  }

  package let name: String
  /// The table whose columns it has as well, and whose lists show its records.
  package let parent: String?
  package let columns: [(name: String, kind: Kind)]
  /// The column that stands for a record where people read.
  package let display: String

  package init(_ name: String, parent: String? = nil, display: String, _ columns: [(name: String, kind: Kind)]) {
    (self.name, self.parent, self.display, self.columns) = (name, parent, display, columns)
  }

  static let system: [(name: String, kind: Kind)] = [
    ("sys_id", .text), ("sys_created_on", .time), ("sys_created_by", .text), ("sys_updated_on", .time),
    ("sys_updated_by", .text), ("sys_mod_count", .text),
  ]

  /// The tables that the fact sheet names.
  package static let standard: [ServiceNowTable] = [
    ServiceNowTable("sys_user", display: "name", [("user_name", .text), ("name", .text), ("active", .text)]),
    ServiceNowTable(
      "task", display: "number",
      [
        ("number", .text), ("short_description", .text), ("description", .text), ("state", .text), ("priority", .text),
        ("approval", .choice(approvalStates)), ("approval_set", .time), ("assigned_to", .reference("sys_user")),
        ("assignment_group", .text), ("opened_at", .time), ("opened_by", .reference("sys_user")), ("due_date", .time),
        ("parent", .reference("task")), ("sys_class_name", .text), ("active", .text), ("escalation", .text),
        ("watch_list", .text), ("upon_approval", .text), ("upon_reject", .text), ("comments", .journal),
        ("work_notes", .journal),
      ]),
    ServiceNowTable("change_request", parent: "task", display: "number", [("justification", .text)]),
    ServiceNowTable("incident", parent: "task", display: "number", [("severity", .text)]),
    ServiceNowTable(
      "sysapproval_approver", display: "sys_id",
      [
        ("state", .choice(approvalStates)), ("approver", .reference("sys_user")), ("sysapproval", .reference("task")),
        ("document_id", .document("source_table")), ("source_table", .text),
        ("group", .reference("sysapproval_group")), ("comments", .journal), ("due_date", .time),
      ]),
    ServiceNowTable("sysapproval_group", display: "sys_id", [("parent", .reference("task"))]),
    ServiceNowTable(
      "sys_journal_field", display: "sys_id", [("element_id", .text), ("element", .text), ("value", .text)]),
  ]

  static let approvalStates = [
    "not requested": "Not Yet Requested", "requested": "Requested", "approved": "Approved", "rejected": "Rejected",
    "cancelled": "Cancelled", "not_required": "No Longer Required", "skipped": "Skipped", "duplicate": "Duplicate",
  ]
}

/// A record; all values are texts, and an absent one is the empty text.
struct ServiceNowRecord: Identifiable {
  let id: String
  /// The table that it was made in.
  let table: String
  var fields: [String: String]

  subscript(name: String) -> String {
    get { fields[name] ?? "" }
    set { fields[name] = newValue }
  }
}
