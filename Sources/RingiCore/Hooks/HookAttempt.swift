internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit
internal import RingiModel
internal import Timing

/// Does what a hook says with an event, once.
@Loop
final class HookAttempt {
  /// What a program has between SIGTERM and SIGKILL.
  static let grace = Duration.seconds(5)
  /// How many programs of all hooks run at once.
  static let maxProcesses = 16

  private let registry: Registry
  private let clock: any LoopClock
  private let redactor: Redactor
  private let environment: [String: String]
  private let slots = ProcessSlots(limit: maxProcesses)

  /// Makes what runs hooks.
  ///
  /// - Parameters:
  ///   - registry: Where a `call` goes.
  ///   - clock: Measures time-outs.
  ///   - redactor: Takes secrets out of what programs say, and keeps them from programs.
  ///   - environment: The agent's own.
  init(registry: Registry, clock: any LoopClock, redactor: Redactor, environment: [String: String]) {
    self.registry = registry
    self.clock = clock
    self.redactor = redactor
    self.environment = HookEnvironment.base(of: environment)
  }

  /// Runs a hook.
  ///
  /// - Parameters:
  ///   - hook: What to do.
  ///   - event: What happened.
  ///   - onBegin: Called when it begins, which may be later: there is a bound on programs.
  /// - Returns: What it came to.
  /// - Throws: `CancellationError`, once a program that was running is gone.
  func run(_ hook: Hook, _ event: Event, onBegin: @Loop () -> Void) async throws -> HookOutcome {
    switch hook.action {
    case .run(let arguments): return try await run(arguments, hook, event, onBegin)
    case .shell(let script): return try await run(["/bin/sh", "-c", script], hook, event, onBegin)
    case .call(let method, let params):
      onBegin()
      return try await call(method, params, hook, event)
    }
  }

  // MARK: Programs

  private func run(
    _ arguments: [String], _ hook: Hook, _ event: Event, _ onBegin: @Loop () -> Void
  ) async throws -> HookOutcome {
    try await slots.acquire(for: hook.name)
    defer { slots.release() }
    onBegin()
    let excerpt = OutputExcerpt()
    do {
      let command = ChildProcess.Command(
        arguments, environment: environment(hook, event), directory: hook.directory)
      let child = try ChildProcess(
        command, input: .bytes(event.json.utf8 + [UInt8(ascii: "\n")]), output: .pipe { excerpt.append($0) },
        error: .pipe { excerpt.append($0) })
      let status = try await child.exit(within: hook.timeout, grace: Self.grace, clock: clock)
      return outcome(status, excerpt.text(redactor))
    } catch let error as ChildProcessError {
      return .failed(redactor.redact(error.description))
    } catch is TimeoutError {
      let output = excerpt.text(redactor)
      return HookOutcome(error: "\(overtime(hook))\(output.isEmpty ? "." : ": \(output)")", output: output)
    }
  }

  private func outcome(_ status: ChildProcess.ExitStatus, _ output: String) -> HookOutcome {
    let error = status.isSuccess ? nil : "It ended with \(status)\(output.isEmpty ? "." : ": \(output)")"
    return HookOutcome(error: error, exit: status, output: output)
  }

  private func overtime(_ hook: Hook) -> String {
    "It took longer than its timeout of \(DurationText.format(hook.timeout))"
  }

  /// A variable of the agent's whose value holds a secret stays with the agent.
  private func environment(_ hook: Hook, _ event: Event) -> [String: String] {
    environment.filter { redactor.redact($0.value) == $0.value }
      .merging(HookEnvironment.variables(for: event) { redactor.redact($0) }) { $1 }
      .merging(hook.environment) { $1 }
  }

  // MARK: Calls

  private func call(
    _ method: String, _ template: JSONValue, _ hook: Hook, _ event: Event
  ) async throws -> HookOutcome {
    let isLast = event.causes.count >= EventBus.maxCauses
    if isLast, registry.isMutation(method) {
      return cut("A chain of \(EventBus.maxCauses + 1) events that caused each other ends here: nothing was called.")
    }
    do {
      let params = try HookTemplate.fill(template, from: event)
      let call = Call(origin: .owner(Actor(hook: hook.name), causes: event.causes + [event.id]))
      let registry = registry
      let result = try await clock.withTimeout(hook.timeout) { try await registry.call(method, params, call) }
      return HookOutcome(result: redactor.redact(result))
    } catch let error as HookTemplate.UnknownPlaceholder {
      return .failed(error.description, isFinal: true)
    } catch is TimeoutError {
      return .failed("\(overtime(hook)).")
    } catch let error as CancellationError where Task.isCancelled {
      throw error
    } catch {
      let error = redactor.redact(rpcError(error))
      let message = "\(method): \(error.message)"
      return isLast && error.kind == RPCError.conflict("").kind ? cut(message) : .failed(message)
    }
  }

  /// At the end of a chain of causes the bus refuses another event; what acts first and tells then must not begin.
  private func cut(_ message: String) -> HookOutcome { HookOutcome(error: message, isFinal: true, isCut: true) }
}

extension Registry {
  fileprivate func isMutation(_ method: String) -> Bool {
    table.index(of: method).map { table.methods[$0].isMutation } ?? false
  }
}
