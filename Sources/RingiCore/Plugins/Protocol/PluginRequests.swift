internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit
internal import RingiModel
internal import Timing

/// What one plugin may ask of the agent and tell it, and how much of that.
@Loop
final class PluginRequests {
  private static let maxLogBytes = 2 << 10

  private let context: ProviderContext
  private let surroundings: PluginSurroundings
  private let access: PluginAccess
  private var instance: String { context.instance }
  private var clock: any LoopClock { context.clock }
  /// What may be logged and what may be published, so that a flood of either stays the plugin's own trouble.
  private var logged: TokenBucket
  private var published: TokenBucket
  /// The events that led to the calls that the plugin works on.
  private var causes: [Int: [String]] = [:]
  private var lastCause = 0

  /// Makes the desk of one instance.
  ///
  /// - Parameters:
  ///   - allow: Globs over the methods that it may call; `nil` for the usual ones.
  ///   - context: What the agent lends to every instance.
  ///   - surroundings: What it lends to this one besides.
  init(_ allow: [Glob]?, _ context: ProviderContext, _ surroundings: PluginSurroundings) {
    (self.context, self.surroundings) = (context, surroundings)
    access = PluginAccess(allow, instance: context.instance)
    logged = TokenBucket(capacity: 200, perSecond: 50, at: context.clock.uptime)
    published = TokenBucket(capacity: 1000, perSecond: 100, at: context.clock.uptime)
  }

  /// Answers a request, or takes a notification.
  ///
  /// - Parameters:
  ///   - method: The request.
  ///   - params: Its params.
  ///   - progress: Tells how far an `agent.call` has come.
  /// - Returns: The result.
  /// - Throws: `RPCError`.
  func serve(
    _ method: String, _ params: JSONValue,
    progress: (@Loop @Sendable (_ token: JSONValue, _ value: JSONValue) -> Void)? = nil
  ) async throws -> JSONValue {
    switch method {
    case "log": return try log(params)
    case "event": return try await publish(params)
    case "state.get":
      guard let key = params["key"]?.string else { throw missing("key", "a string") }
      return try await context.state.get(key) ?? .null
    case "state.set":
      guard let key = params["key"]?.string else { throw missing("key", "a string") }
      try await context.state.set(key, params["value"])
      return .null
    case "agent.call": return try await call(params, progress)
    default: throw Self.unknown(method)
    }
  }

  /// The error for what no plugin can ask.
  nonisolated static func unknown(_ method: String) -> RPCError {
    .methodNotFound(
      "The agent takes agent.call, state.get, state.set, event, log, $/progress and $/cancelRequest from a plugin, not \(JSONValue(method))."
    )
  }

  private func missing(_ name: String, _ what: String) -> RPCError {
    .invalidParams("\(name): it takes \(what).", details: ["parameter": JSONValue(name)])
  }

  // MARK: The log

  private func log(_ params: JSONValue) throws -> JSONValue {
    guard let message = params["message"]?.string else { throw missing("message", "a string") }
    logOwn(params["level"]?.string.flatMap(ProviderContext.LogLevel.init) ?? .info, message)
    return .null
  }

  /// Logs what the plugin says.
  func logOwn(_ level: ProviderContext.LogLevel, _ message: String) {
    log(level, message)
  }

  /// Logs what is said of the plugin.
  func log(_ level: ProviderContext.LogLevel, _ message: String) {
    guard let missed = logged.take(at: clock.uptime) else { return }
    if missed > 0 { context.log(.warning, "\(missed) lines of the plugin were left out: it writes too many.") }
    context.log(level, surroundings.redactor.excerpt(message, bytes: Self.maxLogBytes))
  }

  // MARK: Events

  private func publish(_ params: JSONValue) async throws -> JSONValue {
    guard let name = params["type"]?.string else { throw missing("type", "a string") }
    let type = try EventMethods.customType(name)
    try takeFromFlood()
    let draft = EventDraft(
      type, instance: instance, subject: params["subject"]?.string, data: params["data"] ?? .emptyObject,
      causes: presentCauses)
    return ["event": try await surroundings.bus.publish([draft]).first?.json ?? .null]
  }

  /// Lets one more event through.
  ///
  /// - Throws: `RPCError` (overloaded) when there are too many.
  private func takeFromFlood() throws(RPCError) {
    guard let missed = published.take(at: clock.uptime) else {
      throw .overloaded("The plugin \(instance) publishes too many events; this one was dropped.")
    }
    if missed > 0 { log(.warning, "\(missed) events of the plugin were dropped: it publishes too many.") }
  }

  /// Notes that the plugin works on a call, until `body` returns.
  ///
  /// - Parameters:
  ///   - causes: The events that led to the call, oldest first.
  ///   - body: Waits for the answer.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  func working<T>(on causes: [String], _ body: () async throws -> T) async throws -> T {
    guard !causes.isEmpty else { return try await body() }
    lastCause += 1
    let key = lastCause
    self.causes[key] = causes
    defer { self.causes[key] = nil }
    return try await body()
  }

  /// What may have led to what the plugin does now: it doesn't tell, so the longest chain among its calls counts.
  private var presentCauses: [String] { causes.values.max { $0.count < $1.count } ?? [] }

  // MARK: Calls

  private func call(
    _ params: JSONValue, _ progress: (@Loop @Sendable (_ token: JSONValue, _ value: JSONValue) -> Void)?
  ) async throws -> JSONValue {
    guard let method = params["method"]?.string else { throw missing("method", "a string") }
    let arguments = try access.check(method, params["params"] ?? .emptyObject)
    if method == "events.publish" { try takeFromFlood() }
    var call = Call(origin: .owner(Actor(plugin: instance), causes: presentCauses))
    call.onProgress = progress
    let made = call
    let registry = surroundings.registry
    return try await clock.withTimeout(surroundings.limits().requestTimeout) {
      try await registry.call(method, arguments, made)
    }
  }
}
