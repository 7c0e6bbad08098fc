internal import RingiKit

/// Which tasks of a list wait for a person now: overdue ones, those of today, and as many days further as is set.
struct DueWindow {
  /// How many days after today still count.
  let days: Int
  /// Whether tasks without a date count.
  let includesUndated: Bool
  /// Where the day begins and ends.
  let zone: TimeZone

  static let properties: [(name: String, schema: Schema)] = [
    ("dueInDays", .integer("So many days before its date a task waits for a person.", 0...3650).default(0)),
    ("withoutDate", .boolean("Whether tasks without a date wait, too.").default(false)),
    ("timezone", .string("Whose days count, such as Asia/Tokyo; by default those of this machine.", minLength: 1)),
  ]

  /// - Throws: `SettingsError` for a zone that is not known.
  init(_ json: JSONValue) throws(SettingsError) {
    days = Int(json["dueInDays"]?.int ?? 0)
    includesUndated = json["withoutDate"]?.bool ?? false
    do {
      zone = try json["timezone"]?.string.map { name throws(TimeZoneError) in try TimeZone(identifier: name) } ?? .local
    } catch {
      throw SettingsError(at: JSONPointer.root.appending("timezone"), "\(error)")
    }
  }

  func includes(_ due: TaskDue?, at now: Timestamp) -> Bool {
    guard let due else { return includesUndated }
    return due.day(in: zone).daysSinceEpoch <= zone.civilTime(at: now).date.daysSinceEpoch + days
  }
}
