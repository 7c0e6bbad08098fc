internal import JSON
internal import Timing

extension Command {
  static let jobs = Command(
    name: "jobs", operands: "[run JOB | pause JOB | resume JOB]", operandCount: 0...2,
    summary: "Shows the scheduled jobs and their next times, or runs, pauses or resumes one",
    details: "The polls of the plugins are jobs too.",
    examples: [
      ("ringi jobs", "what runs when: the next three times"),
      ("ringi jobs run backup", "now, beside its schedule"),
      ("ringi jobs pause backup", "until `ringi jobs resume backup`"),
    ],
    run: JobList.run)
}

/// The table of jobs.
enum JobList {
  private static let actions = ["run": "Ran", "pause": "Paused", "resume": "Resumed"]

  static func run(_ invocation: Invocation) throws(Failure) {
    let operands = invocation.arguments.operands
    guard let action = operands.first else { return try list(invocation) }
    guard let done = actions[action], operands.count == 2 else {
      throw .usage("ringi jobs takes nothing, or run, pause or resume and a JOB.", advice: "See `ringi jobs --help`.")
    }
    let result = try invocation.call("jobs.\(action)", ["job": JSONValue(operands[1])])
    guard !invocation.wantsJSON else { return invocation.output.json(result) }
    let job = result["job"] ?? result
    let next = nextTimes(job, count: 1, invocation.surroundings)
    invocation.output.line(
      Styled(done, .green), ": ", Styled(job["name"]?.string ?? operands[1], .bold), Styled("; next \(next)"))
  }

  private static func list(_ invocation: Invocation) throws(Failure) {
    let result = try invocation.call("jobs.list")
    guard !invocation.wantsJSON else { return invocation.output.json(result) }
    let jobs = Listing.rows(result, "jobs")
    guard !jobs.isEmpty else {
      return invocation.output.line("There are no jobs. Each is a file in jobs.d, or the poll of a plugin.")
    }
    invocation.output.table(table(jobs, in: invocation.surroundings))
  }

  static func table(_ jobs: [JSONValue], in surroundings: Surroundings) -> Table {
    let now = surroundings.now()
    let columns = [
      Table.Column(title: "NAME"), Table.Column(title: "SCHEDULE", minimum: 8, leaves: 4),
      Table.Column(title: "NEXT", minimum: 19), Table.Column(title: "LAST", leaves: 3),
      Table.Column(title: "TOOK", isNumber: true, leaves: 1),
      Table.Column(title: "FAILURES", isNumber: true, leaves: 2),
      Table.Column(title: "LAST ERROR", minimum: 10, leaves: 5),
    ]
    let rows = jobs.map { job in
      [
        Styled(Fields.plainText(job["name"]), .cyan), Styled(schedule(job["schedule"])),
        Styled(nextTimes(job, count: 3, surroundings), job["paused"]?.bool == true ? .yellow : nil),
        Styled(Moment.relative(job["last"], now: now)), Styled(Fields.plainText(job["lastDuration"])),
        Styled(Fields.plainText(job["failures"])), ErrorCell.of(job["lastError"]),
      ]
    }
    return Table(columns: columns, rows: rows)
  }

  /// "every 30s", "*/5 9-17 * * 1-5 Asia/Tokyo": an object's values in a row, or the text.
  private static func schedule(_ schedule: JSONValue?) -> String {
    guard let object = schedule?.object else { return Fields.plainText(schedule) }
    return object.filter { !$0.value.isNull }
      .map { $0.key == "every" ? "every \(Fields.plainText($0.value))" : Fields.plainText($0.value) }
      .joined(separator: " ")
  }

  /// The next times by the clock on the wall; of those on one day, the day stands before the first.
  private static func nextTimes(_ job: JSONValue, count: Int, _ surroundings: Surroundings) -> String {
    guard job["paused"]?.bool != true else { return "paused" }
    let times = job["upcoming"]?.array.map(Array.init) ?? []
    var lastDay = ""
    let texts = times.prefix(count).map { time in
      guard let timestamp = time.string.flatMap(Timestamp.init(rfc3339:)) else { return Fields.plainText(time) }
      let local = LocalTime(timestamp, in: surroundings)
      defer { lastDay = local.date }
      return local.date == lastDay ? local.time : local.text
    }
    return texts.isEmpty ? "-" : texts.joined(separator: ", ")
  }
}
