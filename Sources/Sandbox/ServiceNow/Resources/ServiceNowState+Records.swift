internal import Timing

/// Making and changing records, whoever does it.
extension ServiceNowState {
  /// Makes a record.
  ///
  /// - Returns: Its sys_id.
  mutating func make(
    _ table: String, _ values: [String: String], by user: String, id: String = RandomText.lowerHex(32),
    at moment: Timestamp? = nil
  ) -> String {
    let now = (moment ?? clock.now).serviceNow
    var fields = [
      "sys_id": id, "sys_created_on": now, "sys_created_by": user, "sys_updated_on": now, "sys_updated_by": user,
      "sys_mod_count": "0",
    ]
    if columns(of: table)?.contains(where: { $0.name == "sys_class_name" }) == true {
      fields["sys_class_name"] = table
      fields["number"] = "\(table == "change_request" ? "CHG" : "TASK")00\(nextNumber)"
      nextNumber += 1
    }
    let record = ServiceNowRecord(id: id, table: table, fields: fields)
    records[table, default: Table()].append(record)
    write(values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, to: record, by: user, counts: false)
    return id
  }

  /// Writes fields; `sys_mod_count` rises only when something changes.
  mutating func write(
    _ values: [(name: String, text: String)], to record: ServiceNowRecord, by user: String, counts: Bool = true
  ) {
    var (changed, hasChanged) = (record, false)
    for (name, text) in values {
      guard let kind = columns(of: record.table)?.first(where: { $0.name == name })?.kind else { continue }
      if kind == .journal {
        if text.isEmpty { continue }
        _ = make("sys_journal_field", ["element_id": record.id, "element": name, "value": text], by: user)
      } else {
        if changed[name] == text { continue }
        changed[name] = text
      }
      hasChanged = true
    }
    guard hasChanged else { return }
    if counts {
      changed["sys_mod_count"] = "\((Int(record["sys_mod_count"]) ?? 0) + 1)"
      changed["sys_updated_on"] = clock.now.serviceNow
      changed["sys_updated_by"] = user
    }
    records[record.table]?[record.id] = changed
  }

  mutating func keepRecord(of user: ServiceNowUser) {
    _ = make(
      "sys_user", ["user_name": user.name, "name": user.fullName, "active": "\(user.isActive)"], by: "system",
      id: user.sysID)
  }
}
