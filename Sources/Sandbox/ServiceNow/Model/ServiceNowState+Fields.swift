internal import Timing

/// Reading fields, by names with dots as well.
extension ServiceNowState {
  struct Field {
    let kind: ServiceNowTable.Kind
    let value: String
    /// The table that a reference or a document leads to.
    let target: String?
  }

  /// A table's columns, its parent's and the system's among them; nil for a table that is not there.
  func columns(of table: String) -> [(name: String, kind: ServiceNowTable.Kind)]? {
    guard let found = tables[table] else { return nil }
    let inherited = found.parent.flatMap { tables[$0]?.columns } ?? []
    return ServiceNowTable.system + inherited + found.columns
  }

  /// Those of a table and of the tables that extend it.
  func rows(of table: String) -> [ServiceNowRecord] {
    let names = [table] + tables.values.filter { $0.parent == table }.map(\.name).sorted()
    return names.flatMap { records[$0]?.rows ?? [] }
  }

  func record(_ id: String, in table: String) -> ServiceNowRecord? {
    if let record = records[table]?[id] { return record }
    return tables.values.lazy.filter { $0.parent == table }.compactMap { self.records[$0.name]?[id] }.first
  }

  /// A field of a record; nil for a name that the table does not have.
  func field(_ path: String, of record: ServiceNowRecord?, in table: String) -> Field? {
    let name = path.prefix { $0 != "." }
    guard let kind = columns(of: table)?.first(where: { $0.name == name })?.kind else { return nil }
    let value = kind == .journal ? "" : record?[String(name)] ?? ""
    let target: String? =
      switch kind {
      case .reference(let table): table
      case .document(let column): record?[column]
      default: nil
      }
    let rest = path.dropFirst(name.count + 1)
    if rest.isEmpty { return path.hasSuffix(".") ? nil : Field(kind: kind, value: value, target: target) }
    guard let target, tables[target] != nil else { return nil }
    return field(String(rest), of: self.record(value, in: target), in: target)
  }

  /// What people see of a field.
  func display(_ field: Field, to user: ServiceNowUser) -> String {
    switch field.kind {
    case .text, .journal: return field.value
    case .choice(let labels): return labels[field.value] ?? field.value
    case .time: return Timestamp(serviceNow: field.value).map { ($0 + user.zone).serviceNow } ?? field.value
    case .reference, .document:
      guard let target = field.target, let record = record(field.value, in: target), let table = tables[record.table]
      else { return field.value }
      return record[table.display]
    }
  }
}
