internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit

/// What a plugin asks while it is checked: there is no agent, so what it keeps is kept in memory, and its calls fail.
@Loop
struct CheckedRequests {
  private let instance: String
  private let allow: [Glob]?
  private var state: [String: JSONValue] = [:]
  /// What was wrong with what it asked.
  private(set) var findings: [PluginReport.Finding] = []
  /// What RPCProcess says of notifications that are in ``findings`` already.
  private(set) var known: Set<String> = []

  init(instance: String, allow: [Glob]?) { (self.instance, self.allow) = (instance, allow) }

  /// Answers a request, or takes a notification.
  ///
  /// - Throws: `RPCError`.
  mutating func serve(_ method: String, _ params: JSONValue) throws(RPCError) -> JSONValue {
    do throws(RPCError) {
      return try answer(method, params)
    } catch {
      if error.kind != "unavailable" {
        known.insert("\(method): \(error.message)")
        findings.append(.departure(expected: "a request that the agent takes", got: "\(method): \(error.message)"))
      }
      throw error
    }
  }

  private mutating func answer(_ method: String, _ params: JSONValue) throws(RPCError) -> JSONValue {
    switch method {
    case "log":
      _ = try text("message", params)
      if let level = params["level"], level.string.flatMap(ProviderContext.LogLevel.init) == nil {
        throw .invalidParams("level takes debug, info, warning or error, got \(level).")
      }
    case "event":
      _ = try EventMethods.customType(try text("type", params))
    case "state.get": return state[try text("key", params)] ?? .null
    case "state.set": state[try text("key", params)] = params["value"] ?? .null
    case "agent.call":
      let called = try text("method", params)
      _ = try PluginAccess(allow, instance: instance).check(called, params["params"] ?? .emptyObject)
      throw .unavailable("There is no agent while a plugin is checked; \(called) was not called.")
    default: throw PluginRequests.unknown(method)
    }
    return .null
  }

  private func text(_ name: String, _ params: JSONValue) throws(RPCError) -> String {
    guard let text = params[name]?.string else { throw .invalidParams("\(name) takes a string.") }
    return text
  }
}
