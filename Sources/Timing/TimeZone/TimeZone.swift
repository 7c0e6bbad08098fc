internal import Synchronization

/// A time zone of the IANA database: what the clocks of a place show, and showed, and will as far as is known.
public struct TimeZone: Hashable, Sendable {
  /// The IANA name, such as "Europe/Berlin".
  public let identifier: String
  private let history: ZoneHistory

  /// Coordinated Universal Time; it needs no file.
  public static let utc = TimeZone(identifier: "UTC", history: .utc)

  /// Zones by the path of their file, which is read once in a process: a new tzdata counts from the next start.
  private static let cache = Mutex<[String: ZoneHistory]>([:])

  /// Finds a zone in the system's database: the folder $TZDIR, else /usr/share/zoneinfo.
  ///
  /// "UTC" and "Etc/UTC" need no database.
  /// - Throws: `TimeZoneError` when the name is none or unknown, the database is missing or the file broken.
  public init(identifier: String) throws(TimeZoneError) {
    try self.init(identifier: identifier, database: .system)
  }

  init(identifier: String, database: ZoneDatabase) throws(TimeZoneError) {
    if identifier == "UTC" || identifier == "Etc/UTC" {
      self.init(identifier: identifier, history: .utc)
      return
    }
    let path = "\(database.folder)/\(identifier)"
    if let known = Self.cache.withLock({ $0[path] }) {
      self.init(identifier: identifier, history: known)
      return
    }
    let history = try database.zone(identifier)
    Self.cache.withLock { $0[path] = history }
    self.init(identifier: identifier, history: history)
  }

  init(identifier: String, history: ZoneHistory) {
    self.identifier = identifier
    self.history = history
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.identifier == right.identifier && left.history == right.history
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(identifier)
  }

  /// Seconds to add to UTC to get what the zone's clocks show, positive in the east.
  /// - Parameter timestamp: The moment, for the offset changes with it.
  /// - Returns: From -93,599 to 93,599; whole minutes nearly everywhere since the 1970s.
  public func offset(at timestamp: Timestamp) -> Int {
    Int(period(at: timestamp.seconds).offset)
  }

  /// What the zone's clocks show, without the fraction of the second.
  public func civilTime(at timestamp: Timestamp) -> CivilTime {
    CivilTime(secondsSinceEpoch: timestamp.seconds + Int64(offset(at: timestamp)))
  }

  /// When the zone's clocks show a date and time: once, twice around a change back, never in a change forward.
  public func match(_ time: CivilTime) -> CivilTimeMatch {
    match(localSecond: time.secondsSinceEpoch)
  }

  /// The same for a time in seconds since 1970-01-01T00:00:00 on the zone's clocks.
  func match(localSecond: Int64) -> CivilTimeMatch {
    var matches: [Timestamp] = []
    var skippedAt: Int64?
    var period = period(at: localSecond - ZonePeriod.longestOffset)
    while true {
      let second = localSecond - period.offset
      if second < period.start {
        skippedAt = skippedAt ?? period.start
      } else if second < period.end {
        matches.append(Timestamp(seconds: second))
      }
      guard period.end <= localSecond + ZonePeriod.longestOffset else { break }
      period = self.period(at: period.end)
    }
    if matches.count > 1 { return .twice(matches[0], matches[matches.count - 1]) }
    if let only = matches.first { return .once(only) }
    // Without a match the last period began too late, so one is set.
    return .never(skippedAt: Timestamp(seconds: skippedAt ?? period.start))
  }

  /// The stretch of one offset around a second, counted from 1970-01-01T00:00:00Z.
  func period(at second: Int64) -> ZonePeriod {
    history.period(at: second)
  }
}
