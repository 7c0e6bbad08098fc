internal import EventLoop
internal import JSON
internal import RingiKit
internal import Timing

/// Runs checks side by side, each with a deadline, so that none waits for another.
@Loop
final class Doctor {
  /// Checks about one thing: the agent, or a plugin instance.
  struct Section {
    /// The instance; nil for the agent itself.
    let plugin: String?
    let checks: [Check]
  }

  /// A check that may wait.
  struct Check {
    /// What it is about, for when it does not end.
    let subject: Finding.Subject
    let run: @Loop @Sendable (_ limit: Duration) async -> [Finding]

    init(_ subject: Finding.Subject, run: @escaping @Loop @Sendable (_ limit: Duration) async -> [Finding]) {
      (self.subject, self.run) = (subject, run)
    }
  }

  /// How long the checks of a section may take.
  static let limit = Duration.seconds(20)

  /// Where files are looked at, and where the disk of the state is.
  let files = SideThread()
  let disk = SideThread()
  private let clock: any LoopClock
  private let redactor: Redactor
  private let limits: @Loop () -> Limits

  init(clock: any LoopClock, redactor: Redactor, limits: @escaping @Loop () -> Limits) {
    (self.clock, self.redactor, self.limits) = (clock, redactor, limits)
  }

  /// Runs checks.
  ///
  /// - Parameters:
  ///   - sections: What to check.
  ///   - progress: Takes the findings of each section, as soon as they are there: `{plugin?, checks}`.
  /// - Returns: The findings of all, in the order of the sections: `{checks}`.
  func examine(_ sections: [Section], progress: @escaping @Loop @Sendable (JSONValue) -> Void) async -> JSONValue {
    // Whoever asked is to get the answer before the time of the request is over.
    let limit = min(Self.limit, limits().requestTimeout * 3 / 4)
    let work = sections.map { section in
      Loop.task { [self] in
        let found = JSONValue(array: await findings(of: section, within: limit).map { json($0, section.plugin) })
        let plugin = section.plugin.map { JSONValue($0) }
        progress(.known([("plugin", plugin), ("checks", found)]))
        return found
      }
    }
    return await withTaskCancellationHandler {
      var all: [JSONValue] = []
      for task in work { all += (try? await task.value)?.array.map(Array.init) ?? [] }
      return ["checks": JSONValue(array: all)]
    } onCancel: {
      for task in work { task.cancel() }
    }
  }

  private func findings(of section: Section, within limit: Duration) async -> [Finding] {
    var found = Array(repeating: [Finding]?.none, count: section.checks.count)
    let isDone = Gate()
    let work = section.checks.enumerated().map { index, check in
      Loop.task {
        // The rest is for what comes after a wait that was cut short.
        found[index] = await check.run(limit * 3 / 4)
        if found.allSatisfy({ $0 != nil }) { isDone.open() }
      }
    }
    let alarm = clock.alarm(after: limit) { isDone.open() }
    // A client that has left wants no answer.
    if !section.checks.isEmpty { try? await isDone.wait() }
    alarm.cancel()
    for task in work { task.cancel() }
    return zip(section.checks, found).flatMap { check, found in
      found ?? [
        Finding(
          check.subject, .problem, "this was not found out within \(DurationText.format(limit))",
          advice: "Look with `ringi plugins logs`, and try again.")
      ]
    }
  }

  private func json(_ finding: Finding, _ plugin: String?) -> JSONValue {
    redactor.redact(
      JSONValue.known([
        ("plugin", plugin.map { JSONValue($0) }), ("check", JSONValue(finding.subject.rawValue)),
        ("status", JSONValue(finding.status.rawValue)), ("message", JSONValue(finding.message)),
        ("advice", finding.advice.map { JSONValue($0) }),
      ]))
  }
}
