internal import JSON
internal import Timing

/// `every`, or `cron` with a time zone: the same two ways in plugins.d and jobs.d.
enum ScheduleSettings {
  static let properties: [(name: String, schema: Schema)] = [
    ("every", .duration("A fixed time apart.")),
    ("cron", .string("Five fields as in crontab(5), or a nickname such as @hourly.")),
    ("timezone", .string("The IANA time zone that cron's fields are in; the system's without.")),
    ("jitter", .duration("The most that a run is put off at random.")),
  ]

  /// Reads a schedule.
  ///
  /// - Parameters:
  ///   - file: Where it stands, and where complaints go.
  ///   - pointer: The object that holds the members.
  /// - Returns: The schedule, or `nil` with a complaint.
  static func read(_ file: inout ConfigurationFile, at pointer: JSONPointer) -> JobSchedule? {
    let value = file.value[pointer: pointer] ?? .emptyObject
    switch (value["every"]?.string, value["cron"]?.string) {
    case (let every?, nil):
      if value["timezone"] != nil {
        file.complain(at: pointer.appending("timezone"), aboutKey: true, "timezone goes with cron, not with every")
      }
      guard let period = (try? DurationText.parse(every)).flatMap({ Every($0) }) else {
        file.complain(at: pointer.appending("every"), "every takes a duration above zero, such as \"30s\"")
        return nil
      }
      return .every(period)
    case (nil, let cron?): return readCron(cron, value["timezone"]?.string, &file, pointer)
    case (nil, nil):
      file.complain(at: pointer, "a schedule is missing; it takes \"every\": \"30s\" or \"cron\": \"*/5 * * * *\"")
    default:
      file.complain(at: pointer.appending("cron"), aboutKey: true, "every and cron exclude each other; keep one")
    }
    return nil
  }

  private static func readCron(
    _ text: String, _ zone: String?, _ file: inout ConfigurationFile, _ pointer: JSONPointer
  ) -> JobSchedule? {
    let timeZone: TimeZone
    do {
      timeZone = try zone.map(TimeZone.init(identifier:)) ?? TimeZone.local
    } catch {
      file.complain(at: pointer.appending(zone == nil ? "cron" : "timezone"), "\(error)")
      return nil
    }
    do {
      return .cron(try CronExpression(parsing: text, timeZone: timeZone), text: "\(text) \(timeZone.identifier)")
    } catch {
      file.complain(at: pointer.appending("cron"), "\(error)")
      return nil
    }
  }

  static func jitter(_ value: JSONValue) -> Duration {
    value["jitter"]?.string.flatMap { try? DurationText.parse($0) } ?? .zero
  }
}
