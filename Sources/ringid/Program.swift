internal import EventLoop
internal import Glibc
internal import Providers
internal import RingiCore
internal import RingiKit
internal import RingiModel
internal import Text
internal import Timing

/// Arguments in, an agent, exit code out.
enum Program {
  private static let signals = [SIGTERM, SIGINT, SIGHUP]

  static func run(_ words: [String]) -> CInt {
    // Before any thread exists: signals are a source of the loop, and a client that hangs up is no reason to end.
    SignalSource.block(signals)
    signal(SIGPIPE, SIG_IGN)
    // A file that may not grow is trouble with the disk like any other.
    signal(SIGXFSZ, SIG_IGN)
    let arguments: Arguments
    do throws(Arguments.UsageError) {
      arguments = try Arguments(words)
    } catch {
      return complain(error.message, EX_USAGE)
    }
    if arguments.wantsHelp { return say(Arguments.help) }
    if arguments.wantsVersion { return say("ringid \(Version.current)\n") }
    if let backup = arguments.restore { return restore(backup, arguments) }
    let outcome = Outcome()
    Loop.task {
      outcome.code = await run(arguments)
      Loop.stop()
    }
    Loop.run()
    return Loop.assumeIsolated {
      // All that has to be written was.
      if PluginHost.hasLeftThreads { _exit(outcome.code) }
      return outcome.code
    }
  }

  @Loop
  private static func run(_ arguments: Arguments) async -> CInt {
    if let plugin = arguments.plugin { return await check(plugin, arguments) }
    return await arguments.isCheck ? check(arguments) : serve(arguments)
  }

  /// The exit code, which the loop finds out.
  @Loop
  private final class Outcome {
    nonisolated init() {}
    var code: CInt = 0
  }

  @Loop
  private static func agent(_ arguments: Arguments) -> Agent {
    let environment = ProcessEnvironment.variables
    let paths = Paths(config: arguments.config, state: arguments.state, environment: environment)
    var options = Agent.Options(
      configDirectory: paths.config, stateDirectory: paths.state, defaultSocket: paths.socket,
      environment: environment)
    options.sockets = arguments.sockets
    options.isStdio = arguments.isStdio
    return Agent(options: options, providers: builtinProviders)
  }

  // MARK: Serving

  @Loop
  private static func serve(_ arguments: Arguments) async -> CInt {
    let agent = agent(arguments)
    var isStopping = false
    let source: SignalSource
    do {
      source = try SignalSource(signals) { number in
        if number == SIGHUP { return reload(agent) }
        // A second one doesn't wait for anything.
        if isStopping { _exit(128 + number) }
        isStopping = true
        Loop.task { await agent.stop(by: Actor(signal: number == SIGINT ? "SIGINT" : "SIGTERM")) }
      }
      try await agent.start()
      if arguments.isStdio { try agent.serveStdio() }
    } catch {
      return complain("\(error)", code(of: error))
    }
    await agent.untilStopped()
    source.cancel()
    return 0
  }

  private static func code(of error: any Error) -> CInt {
    switch error {
    case is UnixSocket.BindError, is StateLock.Held, is Store.TooNew: EX_UNAVAILABLE
    default: EX_OSERR
    }
  }

  @Loop
  private static func reload(_ agent: Agent) {
    // A reload that goes on already reads what this one would have read.
    Loop.task { _ = try? await agent.reload() }
  }

  // MARK: Restoring

  private static func restore(_ backup: String, _ arguments: Arguments) -> CInt {
    let paths = Paths(config: arguments.config, state: arguments.state, environment: ProcessEnvironment.variables)
    do {
      let old = try Restoration.restore(backup, into: paths.state, at: .now()) { held in
        _ = write("ringid: waiting a moment for the agent (pid \(held.holder)) to end\n", to: 2)
      }
      let aside = old.map { "What was there is now \($0).\n" } ?? ""
      return say(
        "The store in \(paths.state) is now what \(backup) holds.\n\(aside)Start the agent: its first poll tells what has changed since the backup.\n"
      )
    } catch let error as Restoration.Unusable {
      return complain(error.description, EX_DATAERR)
    } catch {
      return complain("\(error)", code(of: error))
    }
  }

  // MARK: Checking

  @Loop
  private static func check(_ arguments: Arguments) async -> CInt {
    do {
      let found = try await agent(arguments).check()
      let mistakes = mistakes(in: arguments)
      var lines = mistakes + found.problems.map(\.description)
      for schedule in found.schedules {
        let times = schedule.next.map(\.rfc3339).joined(separator: ", ")
        lines.append("\(schedule.name): next \(times.isEmpty ? "never" : times)")
      }
      let hasErrors = !mistakes.isEmpty || found.problems.contains { !$0.isWarning }
      if !hasErrors { lines.append("The configuration is right.") }
      _ = say(lines.map { "\($0)\n" }.joined())
      return hasErrors ? EX_CONFIG : 0
    } catch {
      return complain("\(error)", EX_OSERR)
    }
  }

  /// What the command line itself names and can't be.
  private static func mistakes(in arguments: Arguments) -> [String] {
    let sockets = arguments.sockets.filter { $0.utf8.count > UnixSocket.maxPathBytes }
      .map { UnixSocket.BindError.pathTooLong($0).description }
    guard let config = arguments.config, access(config, F_OK) != 0 else { return sockets }
    return sockets + ["There is no folder \(config); correct --config."]
  }

  @Loop
  private static func check(_ plugin: String, _ arguments: Arguments) async -> CInt {
    let environment = ProcessEnvironment.variables
    let isJSON = arguments.wantsJSON
    let columns = terminalColumns(of: 1)
    let render: @Sendable (PluginReport) -> String = { isJSON ? "\($0.json)\n" : $0.text(columns: columns) }
    do {
      let subject = try PluginCheck.find(
        plugin, config: Paths(config: arguments.config, environment: environment).config, providers: builtinProviders,
        environment: environment, limit: arguments.timeout, clock: SystemClock.shared, render: render)
      let report: PluginReport
      switch subject {
      case .refused(let found): report = found
      case .plugin(let check):
        let source = try SignalSource(signals) { number in
          check.abort()
          _exit(128 + number)
        }
        report = await check.run()
        source.cancel()
      }
      let code = say(render(report))
      return code == 0 && report.departures > 0 ? 1 : code
    } catch let error as PluginCheck.NotFound {
      return complain(error.description, EX_NOINPUT)
    } catch {
      return complain("\(error)", EX_OSERR)
    }
  }

  // MARK: Words

  private static func say(_ text: String) -> CInt {
    write(text, to: 1) ? 0 : EX_IOERR
  }

  private static func complain(_ message: String, _ code: CInt) -> CInt {
    _ = write(HangingText(message, after: "ringid: ", columns: terminalColumns(of: 2)).text + "\n", to: 2)
    return code
  }

  private static func write(_ text: String, to descriptor: CInt) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno != EINTR { return false }
      rest = rest.dropFirst(max(0, count))
    }
    return true
  }
}
