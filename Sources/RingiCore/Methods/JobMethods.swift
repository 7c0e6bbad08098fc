internal import EventLoop
internal import JSON
package import RingiKit

/// `jobs.*`.
@Loop
package enum JobMethods {
  /// The methods over a scheduler's jobs.
  package static func all(_ scheduler: Scheduler) -> [Method] {
    [list(scheduler), run(scheduler), pause(scheduler), resume(scheduler)]
  }

  private static let params = Schema.object(["job": .string("Its name.", minLength: 1)], required: ["job"])

  private static let members: [(name: String, schema: Schema)] = [
    ("name", .string("Its name: that of its file, or poll: and a plugin's instance.")),
    ("schedule", .string("`every 30s`, or a cron expression and its time zone.")),
    ("next", .string("When it runs next, as planned, jitter included.", format: "date-time").nullable),
    ("upcoming", .array("The next three times.", of: .string(format: "date-time"))),
    ("last", .string("When it began to run last.", format: "date-time").nullable),
    ("lastDuration", .duration("How long that took.").nullable),
    ("lastError", .string("What was wrong, if the last run failed.").nullable),
    ("failures", .integer("Failed runs since the last good one.", 0...)),
    ("paused", .boolean("Whether it doesn't run by itself.")),
    ("running", .boolean("Whether it runs now.")),
    ("misfire", .string("What becomes of missed runs.", enum: Job.Misfire.allCases.map(\.rawValue))),
    ("heldUntil", .string("Until when its backend wants to be left alone.", format: "date-time").nullable),
  ]

  private static let row = Schema.object(properties: members, required: members.map(\.name))

  private static func list(_ scheduler: Scheduler) -> Method {
    Method(
      "jobs.list", "Lists the scheduled jobs, the plugins' polls among them, by name.", params: .object([:]),
      result: .object(["jobs": .array(of: row)], required: ["jobs"]),
      handler: .sync { _, _ in ["jobs": scheduler.list] })
  }

  private static func run(_ scheduler: Scheduler) -> Method {
    Method(
      "jobs.run", "Runs a job now, beside its schedule, and waits for its end.", params: params,
      result: .object(
        properties: members + [("result", .any.described("What the job's call returned."))],
        required: members.map(\.name) + ["result"]),
      isMutation: true,
      handler: .async { params, _ in
        let name = try params.text("job")
        let result = try await scheduler.run(name)
        return try scheduler.row(name).setting("result", to: result)
      })
  }

  private static func pause(_ scheduler: Scheduler) -> Method {
    Method(
      "jobs.pause", "Stops a job from running by itself; a run that has begun goes on.", params: params, result: row,
      isMutation: true,
      handler: .async { params, _ in
        let name = try params.text("job")
        try await scheduler.pause(name)
        return try scheduler.row(name)
      })
  }

  private static func resume(_ scheduler: Scheduler) -> Method {
    Method(
      "jobs.resume", "Lets a paused job run by itself again; what it missed is not made up for.", params: params,
      result: row, isMutation: true,
      handler: .async { params, _ in
        let name = try params.text("job")
        try await scheduler.resume(name)
        return try scheduler.row(name)
      })
  }
}
