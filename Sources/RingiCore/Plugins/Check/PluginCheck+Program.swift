internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit
internal import Timing

/// A plugin that is a program.
extension PluginCheck {
  private static let grace = (term: Duration.seconds(5), kill: Duration.seconds(10))

  func check(_ program: PluginProgram) async {
    do {
      let process = try RPCProcess(
        program.start(in: file.directory, PluginEnvironment.base(of: environment)), name: file.instance,
        dialect: program.dialect, bounds: RPCProcess.Bounds(), clock: clock, redactor: redactor, owner: self)
      subject = process
      // What stopped it is told.
      do { try await talk(process, program) } catch {}
      await end(process)
    } catch {
      note("start", [.departure(expected: "a program that can be started", got: "\(error)")])
    }
  }

  private func talk(_ process: RPCProcess, _ program: PluginProgram) async throws {
    switch program.dialect {
    case .ringi:
      let manifest = try await initialize()
      if manifest.hasTasks { try await checkTasks(hasContexts: manifest.hasTaskContexts) }
      try await refuseUnknown(program.dialect)
      try await checkCancelling(manifest.hasTasks ? "tasks.list" : Self.strangeMethod, then: Self.strangeMethod)
    case .mcp:
      try await openSession(process, program)
      try await refuseUnknown(program.dialect)
      try await checkCancelling("tools/list", then: Self.strangeMethod)
    }
  }

  // MARK: The beginning

  private func initialize() async throws -> PluginManifest {
    let manifest = try await introduce("initialize", file.settings)
    guard let settings = await settings(for: manifest), settings != file.settings else { return manifest }
    let second = try await introduce("initialize, with the values of secrets", settings, isFirst: false)
    if second.json != manifest.json {
      note("initialize", [.departure(expected: "the same answer both times", got: "\(second.json)")])
    }
    return second
  }

  private func introduce(
    _ step: String, _ settings: JSONValue, isFirst: Bool = true
  ) async throws -> PluginManifest {
    let (answer, began) = try await ask(step, "initialize", PluginManifest.request(file.instance, settings))
    do {
      let manifest = try PluginManifest(try answer.mapError(PluginManifest.refused).get())
      note(step, isFirst ? ManifestRemarks.of(manifest) : [], since: began)
      return manifest
    } catch {
      note(step, [.departure(expected: "what the plugin offers", got: "\(error)")], since: began)
      throw Stopped()
    }
  }

  private func openSession(_ process: RPCProcess, _ program: PluginProgram) async throws {
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

  /// A call that nobody knows must be refused, not passed over: its caller would wait.
  private func refuseUnknown(_ dialect: PluginProtocol) async throws {
    let step = "unknown method"
    let expected = "error -32601"
    let (answer, began) = try await ask(step, Self.strangeMethod, .emptyObject)
    switch answer {
    case .success(let result): note(step, [.departure(expected: expected, got: "the result \(result)")], since: began)
    case .failure(let error):
      // Servers of the Model Context Protocol refuse with other numbers too.
      let isRight = PeerError.isUnknownMethod(error) || dialect == .mcp
      let code = error.details["code"]?.string ?? String(error.code)
      note(
        step, isRight ? [] : [.departure(expected: expected, got: "error \(code): \(error.message)")], since: began)
    }
  }

  // MARK: The end

  private func end(_ process: RPCProcess) async {
    let hadEnded = process.status != nil || process.failure != nil
    let began = clock.uptime
    await process.stop(term: Self.grace.term, kill: Self.grace.kill)
    let took = Duration.nanoseconds(clock.uptime - began)
    noteRest()
    let left = Self.left(in: process.processID)
    note("end", (hadEnded ? earlyEnd() : lateEnd(process, took)) + left, since: hadEnded ? nil : began)
  }

  private func earlyEnd() -> [PluginReport.Finding] {
    hasToldEnd ? [] : [.departure(expected: "that it runs until it is asked to end", got: "its end: \(end)")]
  }

  private func lateEnd(_ process: RPCProcess, _ took: Duration) -> [PluginReport.Finding] {
    let expected = "its end within 5 s of shutdown and the end of its input"
    if took >= Self.grace.kill { return [.departure(expected: expected, got: "SIGTERM and SIGKILL had to end it")] }
    if took >= Self.grace.term { return [.departure(expected: expected, got: "SIGTERM had to end it")] }
    guard let status = process.status, !status.isSuccess else { return [] }
    return [.remark("It ended with \(status), which the agent doesn't mind.")]
  }
}
