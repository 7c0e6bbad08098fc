package import EventLoop
internal import JSON
internal import JSONRPC
package import RingiKit
internal import Timing

/// Runs a plugin alone, as the agent would, and notes each departure from the protocol.
///
/// It calls nothing that changes something, and decides no task.
@Loop
package final class PluginCheck {
  /// What no task is called, and no method.
  static let strangeTask = "ringi-check-no-such-task"
  static let strangeMethod = "ringi-check-no-such-method"
  /// The most bytes that are shown of what a plugin did.
  nonisolated static let shown = 600
  /// The most lines of standard output that are told.
  private static let maxComplaints = 100

  /// The rest of the check would tell nothing.
  struct Stopped: Error {}

  let file: PluginFile
  let environment: [String: String]
  let limit: Duration
  let clock: any LoopClock
  let redactor = Redactor()
  /// Makes text of a report.
  let render: @Sendable (PluginReport) -> String
  private var report: PluginReport
  /// The plugin while it runs.
  var subject: (any CheckedPlugin)?
  private(set) var requests: CheckedRequests
  private(set) var complaints: [PluginReport.Finding] = []
  private let lastWords: ErrorOutput
  /// Whether it was told how the program ended.
  private(set) var hasToldEnd = false

  /// Prepares a check.
  ///
  /// - Parameters:
  ///   - file: The plugin; a program or a library.
  ///   - environment: The variables of this process.
  ///   - limit: How long each answer may take.
  ///   - clock: Measures that.
  ///   - render: Makes text of a report, for a library that ends this process with a crash.
  init(
    _ file: PluginFile, environment: [String: String], limit: Duration, clock: any LoopClock,
    render: @escaping @Sendable (PluginReport) -> String
  ) {
    (self.file, self.environment, self.limit, self.clock, self.render) = (file, environment, limit, clock, render)
    report = PluginReport(plugin: file.instance, file: file.path)
    requests = CheckedRequests(instance: file.instance, allow: file.allow)
    lastWords = ErrorOutput(redactor, write: { _ in })
  }

  /// Ends a program at once.
  package func abort() { (subject as? RPCProcess)?.fail("The check was broken off.") }

  /// Checks everything.
  package func run() async -> PluginReport {
    LeftProcesses.adopt()
    if let program = file.program { await check(program) }
    if let library = file.library { await check(library) }
    return report
  }

  // MARK: Notes

  func note(_ step: String, _ findings: [PluginReport.Finding], since began: Int64? = nil) {
    report.add(
      step, findings.map { clean($0) }, in: began.map { .nanoseconds(clock.uptime - $0) })
  }

  /// No secret is told.
  private func clean(_ finding: PluginReport.Finding) -> PluginReport.Finding {
    switch finding {
    case .departure(let expected, let got):
      .departure(expected: expected, got: redactor.excerpt(got, bytes: Self.shown))
    case .remark(let text): .remark(redactor.redact(text))
    }
  }

  // MARK: Calls

  /// Calls the plugin; one that gives no answer has departed from the protocol.
  ///
  /// - Returns: The result, or the plugin's own error, and when it was asked.
  /// - Throws: ``Stopped`` when nothing more can be learnt from it.
  func ask(
    _ step: String, _ method: String, _ params: JSONValue
  ) async throws -> (answer: Result<JSONValue, RPCError>, began: Int64) {
    guard let subject else { throw Stopped() }
    expectCrash(in: step)
    let began = clock.uptime
    do {
      return (.success(try await subject.call(method, params, within: limit)), began)
    } catch let error as RPCError {
      guard let missing = missing(error) else { return (.failure(error), began) }
      note(step, [missing], since: began)
      throw Stopped()
    }
  }

  /// What an error says that is not an answer; `nil` for an error that the plugin gave.
  func missing(_ error: RPCError) -> PluginReport.Finding? {
    switch error.kind {
    case "plugin-down":
      hasToldEnd = true
      return .departure(expected: "an answer", got: "its end: \(end)")
    case "unavailable" where error.details["provider"] == nil:
      return .departure(
        expected: "an answer within \(DurationText.format(limit))",
        got: complaints.isEmpty ? "none" : "none; what it wrote instead is told below")
    case _ where PeerError.isInvalid(error):
      return .departure(expected: "an answer with either a result or an error", got: error.message)
    default: return nil
    }
  }

  /// How the plugin ended.
  var end: String {
    let how = subject?.ending ?? "It closed its standard output."
    return lastWords.last.map { "\(how) Its last words: \($0)" } ?? how
  }

  /// Has the report ready that a crash of a library would leave.
  func expectCrash(in step: String) {
    guard file.library != nil else { return }
    var report = report
    report.add(
      step, [.departure(expected: "that the library lives", got: "a crash, which would be one of the whole agent")])
    CrashReport.prepare(render(report))
  }

  // MARK: Settings

  /// Checks the settings, and reads the secrets in them.
  ///
  /// - Returns: The settings with the values of secrets; `nil` when they can't be used.
  func settings(for manifest: PluginManifest) async -> JSONValue? {
    guard let schema = manifest.settingsSchema else {
      let isEmpty = file.settings.object?.isEmpty ?? true
      note(
        "settings",
        isEmpty ? [] : [.remark("The file has settings, and the plugin gives no settingsSchema to check them.")])
      return file.settings
    }
    let problems = PluginSettings.check(file, schema)
    note("settings", problems.map { Self.finding($0, "settings that fit its settingsSchema") })
    return problems.allSatisfy(\.isWarning) ? await resolve(schema) : nil
  }

  static func finding(_ problem: ConfigurationProblem, _ expected: String) -> PluginReport.Finding {
    problem.isWarning ? .remark("\(problem)") : .departure(expected: expected, got: "\(problem)")
  }

  private func resolve(_ schema: Schema) async -> JSONValue? {
    let reader = SecretReader(environment: environment, clock: clock, redactor: redactor)
    do {
      return try await PluginSettings.resolve(file.settings, schema) { [file] in
        try await reader.read($0, in: file.directory)
      }
    } catch {
      note("secrets", [.departure(expected: "secrets that can be read", got: "\(error)")])
      return nil
    }
  }

  // MARK: Cancelling

  /// A call that is taken back must not keep another from being answered.
  func checkCancelling(_ method: String, then other: String) async throws {
    guard let subject else { throw Stopped() }
    expectCrash(in: "cancellation")
    let call = Loop.task { [limit] in try await subject.call(method, .emptyObject, within: limit) }
    call.cancel()
    _ = await call.result
    let (_, began) = try await ask("cancellation", other, .emptyObject)
    note("cancellation", [], since: began)
  }

  // MARK: What it says

  /// Answers what the plugin asks.
  ///
  /// - Throws: `RPCError`.
  func answer(_ method: String, _ params: JSONValue) throws -> JSONValue { try requests.serve(method, params) }

  /// Notes what else was found at the plugin's end.
  func noteRest() {
    if !complaints.isEmpty { note("standard output", complaints) }
    if !requests.findings.isEmpty { note("its own requests", requests.findings) }
  }

  /// The processes that a plugin has left behind.
  static func left(in group: Int32) -> [PluginReport.Finding] {
    LeftProcesses.end(group: group).map { left in
      let process = "\(left.name), process \(left.process)"
      return switch left.fate {
      case .endedWithGroup: .remark("\(process), still ran, and was ended with the plugin.")
      case .escaped: .departure(expected: "no process left behind", got: "\(process), which ran on")
      case .alive: .departure(expected: "no process left behind", got: "\(process), which can't be ended")
      }
    }
  }
}

extension PluginCheck: RPCProcess.Owner {
  package func wroteError(_ bytes: UnsafeRawBufferPointer) { lastWords.take(bytes) }

  package func complain(_ sentence: String) {
    guard !requests.known.contains(sentence), complaints.count < Self.maxComplaints else { return }
    complaints.append(.departure(expected: "messages alone on standard output", got: sentence))
  }

  package func serve(_ method: String, _ params: JSONValue, from process: RPCProcess) async throws -> JSONValue {
    guard let program = file.program, program.dialect == .mcp else { return try answer(method, params) }
    // The tools are listed once, and no log is kept.
    return try MCPRequests(elicitation: program.elicitation, log: { _, _ in }, listChanged: {}).serve(method, params)
  }
}
