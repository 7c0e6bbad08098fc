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
  private static let strangeMethod = "ringi-check-no-such-method"
  private static let grace = (term: Duration.seconds(5), kill: Duration.seconds(10))
  /// The most lines of standard output that are told.
  private static let maxComplaints = 100

  /// The rest of the check would tell nothing.
  struct Stopped: Error {}

  let file: PluginFile
  private let program: PluginProgram
  private let environment: [String: String]
  private let limit: Duration
  private let clock: any LoopClock
  private let redactor = Redactor()
  private var report: PluginReport
  private var process: RPCProcess?
  private var requests: CheckedRequests
  private var complaints: [PluginReport.Finding] = []
  private var lastWords: ErrorOutput?
  /// Whether it was told how the program ended.
  private var hasToldEnd = false

  /// Prepares a check.
  ///
  /// - Parameters:
  ///   - file: The plugin.
  ///   - program: Its program.
  ///   - environment: The variables of this process.
  ///   - limit: How long each answer may take.
  ///   - clock: Measures that.
  init(
    _ file: PluginFile, _ program: PluginProgram, environment: [String: String], limit: Duration, clock: any LoopClock
  ) {
    (self.file, self.program, self.environment, self.limit, self.clock) = (file, program, environment, limit, clock)
    report = PluginReport(plugin: file.instance, file: file.path)
    requests = CheckedRequests(instance: file.instance, allow: file.allow)
  }

  /// Ends the plugin at once.
  package func abort() { process?.fail("The check was broken off.") }

  /// Checks everything.
  package func run() async -> PluginReport {
    LeftProcesses.adopt()
    let errors = ErrorOutput(redact: redactor.redact, write: { _ in })
    lastWords = errors
    do {
      let process = try launch()
      self.process = process
      do { try await talk(process) } catch {}
      await end(process)
    } catch {
      note("start", [.departure(expected: "a program that can be started", got: "\(error)")])
    }
    return report
  }

  private func launch() throws -> RPCProcess {
    try RPCProcess(
      program.start(in: file.directory, PluginEnvironment.base(of: environment)), name: file.instance,
      dialect: program.dialect, bounds: RPCProcess.Bounds(), clock: clock, owner: self)
  }

  private func talk(_ process: RPCProcess) async throws {
    switch program.dialect {
    case .ringi:
      let manifest = try await initialize()
      if manifest.hasTasks { try await checkTasks(hasContexts: manifest.hasTaskContexts) }
      try await refuseUnknown()
      try await cancel(process, manifest.hasTasks ? "tasks.list" : Self.strangeMethod)
    case .mcp:
      try await openSession(process)
      try await refuseUnknown()
      try await cancel(process, "tools/list")
    }
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
      .departure(expected: expected, got: Self.excerpt(redactor.redact(got)))
    case .remark(let text): .remark(redactor.redact(text))
    }
  }

  private static func excerpt(_ text: String) -> String {
    let start = text.prefix(bytes: 600)
    return start.utf8.count < text.utf8.count ? "\(start)…" : start
  }

  // MARK: Calls

  /// Calls the plugin; one that gives no answer has departed from the protocol.
  ///
  /// - Returns: The result, or the plugin's own error, and when it was asked.
  /// - Throws: ``Stopped`` when nothing more can be learnt from it.
  func ask(
    _ step: String, _ method: String, _ params: JSONValue
  ) async throws -> (answer: Result<JSONValue, RPCError>, began: Int64) {
    guard let process else { throw Stopped() }
    let began = clock.uptime
    do {
      return (.success(try await process.call(method, params, within: limit)), began)
    } catch let error as RPCError {
      guard let missing = missing(error) else { return (.failure(error), began) }
      note(step, [missing], since: began)
      throw Stopped()
    }
  }

  /// What an error says that is not an answer; `nil` for an error that the plugin gave.
  private func missing(_ error: RPCError) -> PluginReport.Finding? {
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

  /// How the program ended.
  private var end: String {
    let how = process?.failure ?? process?.status.map { "It ended with \($0)." } ?? "It closed its standard output."
    return lastWords?.last.map { "\(how) Its last words: \($0)" } ?? how
  }

  // MARK: The beginning

  private func initialize() async throws -> PluginManifest {
    let manifest = try await introduce("initialize", file.settings)
    guard let schema = manifest.settingsSchema else {
      let isEmpty = file.settings.object?.isEmpty ?? true
      note(
        "settings",
        isEmpty ? [] : [.remark("The file has settings, and the plugin gives no settingsSchema to check them.")])
      return manifest
    }
    let problems = PluginSettings.check(file, schema)
    note("settings", problems.map { Self.finding($0, "settings that fit its settingsSchema") })
    guard problems.allSatisfy(\.isWarning), let settings = await resolve(schema), settings != file.settings else {
      return manifest
    }
    let second = try await introduce("initialize, with the values of secrets", settings, isFirst: false)
    if second.json != manifest.json {
      note("initialize", [.departure(expected: "the same answer both times", got: "\(second.json)")])
    }
    return second
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

  private func introduce(
    _ step: String, _ settings: JSONValue, isFirst: Bool = true
  ) async throws -> PluginManifest {
    let (answer, began) = try await ask(step, "initialize", PluginManifest.request(file.instance, settings))
    do {
      let manifest = try PluginManifest(try answer.get())
      note(step, isFirst ? ManifestRemarks.of(manifest) : [], since: began)
      return manifest
    } catch {
      note(step, [.departure(expected: "what the plugin offers", got: "\(error)")], since: began)
      throw Stopped()
    }
  }

  private func openSession(_ process: RPCProcess) async throws {
    let began = clock.uptime
    var warnings: [PluginReport.Finding] = []
    let session = MCPSession(
      process,
      MCPSession.Surroundings(
        instance: file.instance, hasElicitation: program.elicitation != nil, clock: clock, limit: { [limit] in limit },
        warn: { warnings.append(.departure(expected: "tools that can be used", got: $0)) }, changed: { _ in }))
    defer { session.close() }
    do {
      let manifest = try await session.open()
      note("initialize and tools/list", warnings + ManifestRemarks.of(manifest), since: began)
    } catch {
      let missing = (error as? RPCError).flatMap { self.missing($0) }
      note(
        "initialize and tools/list",
        warnings + [missing ?? .departure(expected: "a revision and tools that the agent can use", got: "\(error)")],
        since: began)
      throw Stopped()
    }
  }

  // MARK: Any plugin

  /// A call that nobody knows must be refused, not passed over: its caller would wait.
  private func refuseUnknown() async throws {
    let step = "unknown method"
    let expected = "error -32601"
    let (answer, began) = try await ask(step, Self.strangeMethod, .emptyObject)
    switch answer {
    case .success(let result): note(step, [.departure(expected: expected, got: "the result \(result)")], since: began)
    case .failure(let error):
      // Servers of the Model Context Protocol refuse with other numbers too.
      let isRight = PeerError.isUnknownMethod(error) || program.dialect == .mcp
      let code = error.details["code"]?.string ?? String(error.code)
      note(
        step, isRight ? [] : [.departure(expected: expected, got: "error \(code): \(error.message)")], since: began)
    }
  }

  /// A call that is taken back must not keep others from being answered.
  private func cancel(_ process: RPCProcess, _ method: String) async throws {
    let call = Loop.task { [limit] in try await process.call(method, .emptyObject, within: limit) }
    call.cancel()
    _ = await call.result
    let (_, began) = try await ask("cancellation", Self.strangeMethod, .emptyObject)
    note("cancellation", [], since: began)
  }

  // MARK: The end

  private func end(_ process: RPCProcess) async {
    let hadEnded = process.status != nil || process.failure != nil
    let began = clock.uptime
    await process.stop(term: Self.grace.term, kill: Self.grace.kill)
    let took = Duration.nanoseconds(clock.uptime - began)
    if !complaints.isEmpty { note("standard output", complaints) }
    if !requests.findings.isEmpty { note("its own requests", requests.findings) }
    let left = LeftProcesses.end(group: process.processID).map { process -> PluginReport.Finding in
      process.hadEscaped
        ? .departure(
          expected: "no process left behind", got: "\(process.name), process \(process.process), which ran on")
        : .remark("\(process.name), process \(process.process), still ran, and was ended with the plugin.")
    }
    note("end", (hadEnded ? earlyEnd() : lateEnd(process, took)) + left, since: hadEnded ? nil : began)
  }

  private func earlyEnd() -> [PluginReport.Finding] {
    hasToldEnd
      ? [] : [.departure(expected: "that it runs until it is asked to end", got: "its end: \(end)")]
  }

  private func lateEnd(_ process: RPCProcess, _ took: Duration) -> [PluginReport.Finding] {
    let expected = "its end within 5 s of shutdown and the end of its input"
    if took >= Self.grace.kill { return [.departure(expected: expected, got: "SIGTERM and SIGKILL had to end it")] }
    if took >= Self.grace.term { return [.departure(expected: expected, got: "SIGTERM had to end it")] }
    guard let status = process.status, !status.isSuccess else { return [] }
    return [.remark("It ended with \(status), which the agent doesn't mind.")]
  }
}

extension PluginCheck: RPCProcess.Owner {
  package func wroteError(_ bytes: UnsafeRawBufferPointer) { lastWords?.take(bytes) }

  package func complain(_ sentence: String) {
    guard !requests.known.contains(sentence), complaints.count < Self.maxComplaints else { return }
    complaints.append(.departure(expected: "messages alone on standard output", got: sentence))
  }

  package func serve(_ method: String, _ params: JSONValue, from process: RPCProcess) async throws -> JSONValue {
    switch program.dialect {
    case .ringi: return try requests.serve(method, params)
    case .mcp:
      if method == "ping" { return .emptyObject }
      guard method.hasPrefix("notifications/") else { throw PluginRequests.unknown(method) }
      return .null
    }
  }
}
