internal import EventLoop
internal import JSON
internal import JSONRPC
internal import NativeLibrary

/// A library that is checked.
@Loop
final class CheckedLibrary: CheckedPlugin {
  /// A library ends with this process alone.
  var ending: String? { nil }

  private let instance: String
  private let pending: PendingCalls<JSONValue>
  private let serve: @Loop (String, JSONValue) throws -> JSONValue
  private var run: LibraryRun?

  /// Starts the library's thread.
  ///
  /// - Parameters:
  ///   - instance: The plugin instance.
  ///   - clock: Measures how long it takes.
  ///   - limit: How long loading it and making an instance may take, each.
  ///   - serve: Answers what it asks.
  /// - Throws: `SystemError`.
  init(
    _ instance: String, clock: any LoopClock, limit: Duration,
    serve: @escaping @Loop (String, JSONValue) throws -> JSONValue
  ) throws {
    (self.instance, self.serve) = (instance, serve)
    pending = PendingCalls(of: instance, clock: clock)
    run = try LibraryRun(instance, clock: clock, limit: limit) { [weak self] in self?.take() }
  }

  func load(_ path: String) async throws -> NativeLibrary {
    guard let run else { throw RPCError.plugin(isDown: instance) }
    return try await run.load(path)
  }

  func create(_ library: NativeLibrary, _ settings: JSONValue) async throws {
    guard let run else { throw RPCError.plugin(isDown: instance) }
    try await run.create(library, settings)
  }

  func call(_ method: String, _ params: JSONValue, within limit: Duration) async throws -> JSONValue {
    guard let run else { throw RPCError.plugin(isDown: instance) }
    let call = pending.begin(method, nil)
    run.call(method, params, call.id, isInline: false)
    return try await pending.answer(to: call, within: limit) { run.host.giveUp($0) }
  }

  /// Ends the instance.
  ///
  /// - Returns: Whether it has ended within the limit.
  func end(within limit: Duration) async -> Bool {
    await run?.end(RPCError.plugin(isDown: instance).json, within: limit) ?? true
  }

  private func take() {
    for message in run?.host.take() ?? [] { take(message) }
  }

  private func take(_ message: NativeHost.Message) {
    switch message {
    case .answer(let call, let value): pending.settle(call, value, from: instance)
    case .failure(let call, let kind, let text, let data):
      pending.settle(call, .failure(PeerError.read(kind, text, data, from: instance)))
    case .notification(let method, let params): _ = try? serve(method, params)
    case .request(let method, let params, let answer):
      do { answer.give(.success(try serve(method, params))) } catch {
        answer.give(.failure(.init(rpcError(error).json)))
      }
    case .progress, .dropped: break
    }
  }
}
