package import JSON
internal import Timing

/// One file of jobs.d: a call on a schedule.
package struct JobFile: Equatable, Sendable {
  package let name: String
  package let path: String
  package let call: String
  package let params: JSONValue?
  package let schedule: JobSchedule
  package let jitter: Duration
  package let misfire: Job.Misfire
  package let timeout: Duration?
  package let isEnabled: Bool

  static let schema = Schema.object(
    properties: [
      ("call", .string("The method to call.", minLength: 1)),
      ("params", .anyOf([.object([:], isOpen: true), .array(of: .any)]).described("Its params.")),
    ] + ScheduleSettings.properties + [
      (
        "misfire",
        .string("What becomes of runs missed while nothing could run.", enum: Job.Misfire.allCases.map(\.rawValue))
          .default("once")
      ),
      ("timeout", .duration("The most that a run may take.")),
      ("enabled", .boolean("Whether it runs.").default(true)),
    ], required: ["call"])

  init?(_ file: inout ConfigurationFile) {
    file.check(Self.schema)
    guard file.isUsable, let schedule = ScheduleSettings.read(&file, at: .root), file.isUsable else { return nil }
    let value = file.value
    name = file.name
    path = file.path
    call = value["call"]?.string ?? ""
    params = value["params"]
    self.schedule = schedule
    jitter = ScheduleSettings.jitter(value)
    misfire = value["misfire"]?.string.flatMap(Job.Misfire.init) ?? .once
    timeout = value["timeout"]?.string.flatMap { try? DurationText.parse($0) }
    isEnabled = value["enabled"]?.bool ?? true
  }
}
