internal import Glibc

extension TimeZone {
  /// The time zone of this machine: $TZ if it is set, else /etc/localtime, else UTC.
  ///
  /// $TZ is a name ("Europe/Berlin"), the path of a TZif file, either after a colon, or a rule as POSIX writes it
  /// ("CET-1CEST,M3.5.0,M10.5.0/3"); empty it means UTC.
  /// - Throws: `TimeZoneError` when $TZ is none of that, or a file is broken or missing.
  public static var local: TimeZone {
    get throws(TimeZoneError) {
      try local(setting: getenv("TZ").map { String(cString: $0) }, link: "/etc/localtime", database: .system)
    }
  }

  /// Finds the time zone of a machine.
  /// - Parameters:
  ///   - setting: What $TZ says, if it is set.
  ///   - link: The path of the file that holds without a setting, often a symbolic link into the database.
  ///   - database: Where names are looked up.
  /// - Returns: The zone, called by its name where that is known.
  /// - Throws: `TimeZoneError` when the setting is no zone, or a file is broken or missing.
  static func local(setting: String?, link: String, database: ZoneDatabase) throws(TimeZoneError) -> TimeZone {
    guard let setting else {
      guard let history = try ZoneDatabase.read(link) else { return .utc }
      return TimeZone(identifier: identifier(ofLink: link) ?? "localtime", history: history)
    }
    let text = String(setting.drop { $0 == ":" })
    if text.isEmpty { return .utc }
    if text.hasPrefix("/") {
      guard let history = try ZoneDatabase.read(text) else {
        throw TimeZoneError.unreadable(path: text, reason: "there is no such file")
      }
      return TimeZone(identifier: text, history: history)
    }
    do throws(TimeZoneError) {
      return try TimeZone(identifier: text, database: database)
    } catch {
      // A rule such as UTC0 or <+03>-3 is no name; a name in need of a file is no rule.
      guard let rule = ZoneRule(text) else { throw error }
      return TimeZone(
        identifier: text, history: ZoneHistory(changes: [], offsets: [rule.standardOffset], rule: rule))
    }
  }

  /// The name of the zone that a link into a database leads to: what comes after ".../zoneinfo/".
  private static func identifier(ofLink link: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &buffer, buffer.count)
    guard count > 0 else { return nil }
    let target = String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    let parts = target.split(separator: "/")
    guard let folder = parts.lastIndex(of: "zoneinfo"), folder + 1 < parts.count else { return nil }
    return parts[(folder + 1)...].joined(separator: "/")
  }
}
