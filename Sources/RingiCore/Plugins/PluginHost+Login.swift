internal import EventLoop
package import JSON
internal import JSONRPC
internal import RingiKit

/// Logins with a browser.
extension PluginHost {
  /// Begins a person's login with a browser.
  ///
  /// - Parameter instance: The instance.
  /// - Returns: `{plugin, url, redirect, state, expiresIn}`.
  /// - Throws: `RPCError`.
  package func beginLogin(_ instance: String) throws -> JSONValue {
    try logins.begin(instance, try login(of: instance))
  }

  /// Ends it with what the browser brought back, and polls the instance's tasks.
  ///
  /// - Parameters:
  ///   - instance: The instance.
  ///   - state: Tells that it is an answer to the login that was begun.
  ///   - code: What the backend gave.
  /// - Returns: `{plugin, user}`.
  /// - Throws: `RPCError`.
  package func finishLogin(_ instance: String, state: String, code: String) async throws -> JSONValue {
    let login = try login(of: instance)
    let user = try await logins.finish(instance, login, state: state, code: code) { [parts] in
      parts.secrets.hide(code, of: instance)
    }
    log(.info, instance, "somebody has logged in as \(user)")
    if hasPoll(instance) {
      // Whoever logged in doesn't wait for it; its failure is told as any poll's is.
      Loop.task { [parts] in _ = try await parts.scheduler.run(Self.pollName(instance)) }
    }
    return ["plugin": JSONValue(instance), "user": JSONValue(user)]
  }

  private func login(of instance: String) throws -> any BrowserLogin {
    let plugin = try entry(instance).plugin as? BuiltinPlugin
    if let login = plugin?.login { return login }
    let advice = plugin == nil ? "a program or library logs in by itself, if at all" : plugin?.credentials
    throw RPCError.invalidParams(
      "\(instance) has no login with a browser\(advice.map { ": \($0)" } ?? "; it takes no credentials").")
  }
}
