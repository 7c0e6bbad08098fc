internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit

/// What a server of the Model Context Protocol may ask of the agent, which is next to nothing, and may tell it.
@Loop
enum MCPRequests {
  private static let maxLogBytes = 2 << 10

  /// Answers a request, or takes a notification; those about what the agent doesn't use are passed over.
  ///
  /// - Throws: `RPCError` (method-not-found).
  static func serve(_ method: String, _ params: JSONValue, of plugin: ProcessPlugin) throws(RPCError) -> JSONValue {
    switch method {
    case "ping": return [:]
    case "notifications/message": log(params, plugin)
    case "notifications/tools/list_changed": plugin.session?.listChanged()
    case _ where method.hasPrefix("notifications/"): break
    default:
      throw .methodNotFound("The agent answers ping and offers a server nothing else, so not \(JSONValue(method)).")
    }
    return .null
  }

  private static func log(_ params: JSONValue, _ plugin: ProcessPlugin) {
    let level: ProviderContext.LogLevel =
      switch params["level"]?.string {
      case "debug": .debug
      case "warning": .warning
      case "error", "critical", "alert", "emergency": .error
      default: .info
      }
    let data = params["data"] ?? .null
    let text = (params["logger"]?.string.map { "\($0): " } ?? "") + (data.string ?? "\(data)")
    // Secrets are taken out before it is cut.
    plugin.log(level, plugin.surroundings.redactor.redact(text).prefix(bytes: maxLogBytes))
  }
}
