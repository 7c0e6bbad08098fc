internal import JSON
internal import JSONRPC

/// What a plugin may call.
struct PluginAccess {
  private let allow: [Glob]?
  private let instance: String

  /// Makes a check.
  ///
  /// - Parameters:
  ///   - allow: Globs over method names; `nil` for the plugin's own methods, `events.publish`, and `tasks.*` where it is
  ///     about the plugin's own tasks.
  ///   - instance: The plugin instance.
  init(_ allow: [Glob]?, instance: String) { (self.allow, self.instance) = (allow, instance) }

  /// Checks a call.
  ///
  /// - Parameters:
  ///   - method: What is called.
  ///   - params: With what.
  /// - Returns: The params to call it with.
  /// - Throws: `RPCError` (forbidden).
  func check(_ method: String, _ params: JSONValue) throws(RPCError) -> JSONValue {
    if let allow {
      guard allow.contains(where: { $0.matches(method) }) else {
        throw refusal(method, "its allow list has no such method")
      }
      return params
    }
    if method == "events.publish" || method.hasPrefix("\(instance).") { return params }
    guard method.hasPrefix("tasks.") else { throw refusal(method, "its file has no allow list that says so") }
    return try own(method, params)
  }

  /// Params that are about the plugin's own tasks and no others.
  private func own(_ method: String, _ params: JSONValue) throws(RPCError) -> JSONValue {
    guard params.object != nil else { throw refusal(method, "without an allow list, params are given by name") }
    if ["tasks.list", "tasks.refresh"].contains(method) {
      guard [nil, instance].contains(params["provider"]?.string) else {
        throw refusal(method, "the tasks of others need an allow list")
      }
      return params.setting("provider", to: JSONValue(instance))
    }
    guard params["task"]?.string?.hasPrefix("\(instance)/") == true else {
      throw refusal(method, "without an allow list, task begins with \"\(instance)/\"")
    }
    return params
  }

  private func refusal(_ method: String, _ why: String) -> RPCError {
    .forbidden("The plugin \(instance) may not call \(method): \(why); allow is a key of its file in plugins.d.")
  }
}
