internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit
internal import RingiModel

/// What a plugin's program may ask of the agent.
@Loop
enum PluginRequests {
  private static let maxLogBytes = 2 << 10

  /// Answers a request, or takes a notification.
  ///
  /// - Throws: `RPCError`.
  static func serve(
    _ method: String, _ params: JSONValue, of plugin: ProcessPlugin, _ process: RPCProcess
  ) async throws -> JSONValue {
    switch method {
    case "log": return try log(params, plugin)
    case "event": return try await publish(params, plugin)
    case "state.get":
      guard let key = params["key"]?.string else { throw missing("key", "a string") }
      return try await plugin.context.state.get(key) ?? .null
    case "state.set":
      guard let key = params["key"]?.string else { throw missing("key", "a string") }
      try await plugin.context.state.set(key, params["value"])
      return .null
    case "agent.call": return try await call(params, plugin, process)
    default: throw unknown(method)
    }
  }

  /// The error for what no plugin can ask.
  nonisolated static func unknown(_ method: String) -> RPCError {
    .methodNotFound(
      "The agent takes agent.call, state.get, state.set, event, log, $/progress and $/cancelRequest from a plugin, not \(JSONValue(method))."
    )
  }

  private static func log(_ params: JSONValue, _ plugin: ProcessPlugin) throws -> JSONValue {
    guard let message = params["message"]?.string else { throw missing("message", "a string") }
    let level = params["level"]?.string.flatMap(ProviderContext.LogLevel.init) ?? .info
    // Secrets are taken out before it is cut.
    plugin.log(level, plugin.surroundings.redactor.redact(message).prefix(bytes: maxLogBytes))
    return .null
  }

  private static func missing(_ name: String, _ what: String) -> RPCError {
    .invalidParams("\(name): it takes \(what).", details: ["parameter": JSONValue(name)])
  }

  // MARK: Events

  private static func publish(_ params: JSONValue, _ plugin: ProcessPlugin) async throws -> JSONValue {
    guard let name = params["type"]?.string else { throw missing("type", "a string") }
    let type = try EventMethods.customType(name)
    guard let missed = plugin.published.take(at: plugin.clock.uptime) else {
      throw RPCError.overloaded("The plugin \(plugin.instance) publishes too many events; this one was dropped.")
    }
    if missed > 0 { plugin.log(.warning, "\(missed) events of the plugin were dropped: it publishes too many.") }
    let draft = EventDraft(
      type, instance: plugin.instance, subject: params["subject"]?.string, data: params["data"] ?? .emptyObject,
      causes: plugin.presentCauses)
    return ["event": try await plugin.surroundings.bus.publish([draft]).first?.json ?? .null]
  }

  // MARK: Calls

  private static func call(
    _ params: JSONValue, _ plugin: ProcessPlugin, _ process: RPCProcess
  ) async throws -> JSONValue {
    guard let method = params["method"]?.string else { throw missing("method", "a string") }
    let arguments = try PluginAccess(plugin.program.allow, instance: plugin.instance)
      .check(method, params["params"] ?? .emptyObject)
    var call = Call(origin: .owner(Actor(plugin: plugin.instance), causes: plugin.presentCauses))
    call.onProgress = { [weak process] token, value in
      process?.notify("$/progress", ["token": token, "value": value])
    }
    let made = call
    let registry = plugin.surroundings.registry
    return try await plugin.clock.withTimeout(plugin.surroundings.limits().requestTimeout) {
      try await registry.call(method, arguments, made)
    }
  }
}
