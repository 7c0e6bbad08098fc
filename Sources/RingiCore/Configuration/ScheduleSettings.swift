internal import JSON
internal import Timing

/// `every`, or `cron` with a time zone: the same two ways in plugins.d and jobs.d.
enum ScheduleSettings {
  static let properties: [(name: String, schema: Schema)] = [
    ("every", .duration("The time from one run to the next; it excludes `cron`.")),
    (
      "cron",
      .string("Five fields as in crontab(5), or a nickname such as `@hourly`; it excludes `every`.", minLength: 1)
    ),
    ("timezone", .string("The IANA time zone whose clocks `cron` means; the machine's own without.", minLength: 1)),
    ("jitter", .duration("The most that a run is put off at random, less than `every`.").default("0s")),
  ]

  /// Reads a schedule.
  ///
  /// - Parameters:
  ///   - file: Where it stands, and where complaints go.
  ///   - pointer: The object that holds the members.
  /// - Returns: The schedule and the jitter, or `nil` with a complaint.
  static func read(
    _ file: inout ConfigurationFile, at pointer: JSONPointer
  ) -> (schedule: JobSchedule, jitter: Duration)? {
    let value = file.value[pointer: pointer] ?? .emptyObject
    let jitter = file.duration(at: pointer.appending("jitter")) ?? .zero
    switch (value["every"] != nil, value["cron"] != nil) {
    case (true, false):
      if value["timezone"] != nil {
        file.complain(at: pointer.appending("timezone"), aboutKey: true, "timezone goes with cron, not with every")
      }
      return every(&file, pointer, jitter).map { ($0, jitter) }
    case (false, true):
      return cron(&file, pointer).map { ($0, jitter) }
    case (false, false):
      file.complain(at: pointer, "a schedule is missing; give \"every\": \"30s\" or \"cron\": \"*/5 * * * *\"")
    case (true, true):
      file.complain(at: pointer.appending("cron"), aboutKey: true, "every and cron exclude each other; keep one")
    }
    return nil
  }

  private static func every(
    _ file: inout ConfigurationFile, _ pointer: JSONPointer, _ jitter: Duration
  ) -> JobSchedule? {
    guard let period = file.positiveDuration(at: pointer.appending("every")), let every = Every(period) else {
      return nil
    }
    if jitter >= period {
      file.complain(
        at: pointer.appending("jitter"),
        "jitter takes less than every, which is \(DurationText.format(period)), got \(DurationText.format(jitter))")
    }
    return .every(every)
  }

  private static func cron(_ file: inout ConfigurationFile, _ pointer: JSONPointer) -> JobSchedule? {
    let (place, zonePlace) = (pointer.appending("cron"), pointer.appending("timezone"))
    let zone = zone(&file, zonePlace)
    guard let text = file.value[pointer: place]?.string, !text.isEmpty else { return nil }
    do throws(CronExpressionError) {
      // Whatever the zone, an expression is right or wrong.
      let expression = try CronExpression(parsing: text, timeZone: zone ?? .utc)
      return zone.map { .cron(expression, text: "\(text) \($0.identifier)") }
    } catch {
      // The column counts from 1, and so do characters after the opening quote.
      file.complain(
        at: place, character: error.column, "\(error.field.map { "\($0): " } ?? "")\(error.message)")
      return nil
    }
  }

  private static func zone(_ file: inout ConfigurationFile, _ pointer: JSONPointer) -> TimeZone? {
    do throws(TimeZoneError) {
      guard let value = file.value[pointer: pointer] else { return try TimeZone.local }
      return try value.string.map { name throws(TimeZoneError) in try TimeZone(identifier: name) }
    } catch {
      file.complain(at: pointer, "\(error)")
      return nil
    }
  }
}
