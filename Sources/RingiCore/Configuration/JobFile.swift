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
      ("params", .anyOf([.object([:], isOpen: true), .array(of: .any)]).described("Its params, by name or position.")),
    ] + ScheduleSettings.properties + [
      (
        "misfire",
        .string(
          "What becomes of runs that were due while nothing could run: left out, or made up for by one.",
          enum: Job.Misfire.allCases.map(\.rawValue)
        ).default("once")
      ),
      ("timeout", .duration("The most that a run may take; no limit without.")),
      ("enabled", .boolean("Whether it is scheduled.").default(true)),
    ], required: ["call"])

  /// Reads a file; `nil` when it is not usable.
  ///
  /// - Parameter file: The file; complaints go to it.
  init?(_ file: inout ConfigurationFile) {
    guard file.isObject else { return nil }
    file.check(Self.schema)
    let schedule = ScheduleSettings.read(&file, at: .root)
    timeout = file.positiveDuration(at: JSONPointer.root.appending("timeout"))
    if file.name.hasPrefix("poll:") {
      file.complain(at: .root, "a job's name can't begin with \"poll:\", as the plugins' polls do; rename the file")
    }
    guard file.isUsable, let (schedule, jitter) = schedule else { return nil }
    let value = Self.schema.fillingDefaults(file.value)
    name = file.name
    path = file.path
    call = value["call"]?.string ?? ""
    params = value["params"]
    self.schedule = schedule
    self.jitter = jitter
    misfire = value["misfire"]?.string.flatMap(Job.Misfire.init) ?? .once
    isEnabled = value["enabled"]?.bool ?? true
  }
}
