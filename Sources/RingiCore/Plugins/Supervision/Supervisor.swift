internal import EventLoop
internal import RingiKit
internal import Timing

/// Sees to it that a plugin runs: starts it, starts it again when it ends by itself, and knows where it stands.
@Loop
final class Supervisor {
  /// How a run ended.
  struct End {
    let reason: String
    /// Whether another try would end the same way.
    let isFinal: Bool
  }

  private let clock: any LoopClock
  private let log: @Loop (ProviderContext.LogLevel, String) -> Void
  private(set) var state = PluginHost.State.starting
  private(set) var since: Timestamp
  /// Why it ended last.
  private(set) var lastError: String?
  private(set) var restarts = 0
  private(set) var isStopping = false
  private var work: Task<Void, any Error>?
  /// Hears of each change of ``state``.
  var changed: @Loop () -> Void = {}

  init(clock: any LoopClock, log: @escaping @Loop (ProviderContext.LogLevel, String) -> Void) {
    (self.clock, self.log) = (clock, log)
    since = clock.now
  }

  /// Runs the plugin from now on.
  ///
  /// - Parameter run: Runs it once, calls ``isRunning()`` when it is ready, and returns when it has ended.
  func start(_ run: @escaping @Loop @Sendable () async -> End) {
    work = Loop.task { [self] in await live(run) }
  }

  /// Lets no run follow this one.
  func beginStop() {
    isStopping = true
    work?.cancel()
  }

  /// Waits until the last run has ended.
  func stopped() async { _ = await work?.result }

  func isRunning() { set(.running) }

  private func live(_ run: @escaping @Loop @Sendable () async -> End) async {
    var policy = RestartPolicy()
    while !isStopping {
      let began = clock.uptime
      let end = await run()
      if isStopping { return }
      lastError = end.reason
      let life = Duration.nanoseconds(clock.uptime - began)
      guard !end.isFinal, case .restart(let delay) = policy.crashed(at: clock.uptime, after: life) else {
        log(.error, "the plugin has failed, and is not started again by itself: \(end.reason)")
        return set(.failed)
      }
      log(.error, "the plugin is down, and is started again in \(DurationText.format(delay)): \(end.reason)")
      set(.backoff)
      do { try await clock.sleep(for: delay) } catch { return }
      restarts += 1
      set(.starting)
    }
  }

  private func set(_ state: PluginHost.State) {
    (self.state, since) = (state, clock.now)
    changed()
  }
}
