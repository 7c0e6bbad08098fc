internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit

/// What a server of the Model Context Protocol may ask of the agent, which is next to nothing, and may tell it.
@Loop
struct MCPRequests {
  /// The answers of the plugin's file.
  let elicitation: MCPElicitation?
  /// Takes what is to be logged of the server.
  let log: @Loop (ProviderContext.LogLevel, String) -> Void
  /// Called when the server says that it has other tools now.
  let listChanged: @Loop () -> Void

  /// Answers a request, or takes a notification; those about what the agent doesn't use are passed over.
  ///
  /// - Throws: `RPCError` (method-not-found, invalid-params).
  func serve(_ method: String, _ params: JSONValue) throws(RPCError) -> JSONValue {
    switch method {
    case "ping": return [:]
    case "notifications/message": logMessage(params)
    case "notifications/tools/list_changed": listChanged()
    case _ where method.hasPrefix("notifications/"): break
    case "elicitation/create" where elicitation != nil:
      guard MCPElicitation.isForm(params) else {
        throw .invalidParams("mode: the agent fills in forms, and visits no pages.", details: ["parameter": "mode"])
      }
      return elicit(params) ?? .null
    default:
      throw .methodNotFound("The agent answers ping and offers a server nothing else, so not \(JSONValue(method)).")
    }
    return .null
  }

  /// Answers what the server wants to know as the plugin's file has it, and says so in the log.
  ///
  /// - Returns: The result of `elicitation/create`; `nil` where the file has no answers.
  func elicit(_ params: JSONValue) -> JSONValue? {
    guard let answer = elicitation?.answer(params) else { return nil }
    let fields = params["requestedSchema"]?["properties"]?.object?.map(\.key) ?? []
    let question = "\(params["message"] ?? .null) (fields: \(fields.joined(separator: ", ")))"
    log(.info, "answered with \(answer["action"]?.string ?? ""), the server having asked \(question)")
    return answer
  }

  private func logMessage(_ params: JSONValue) {
    let level: ProviderContext.LogLevel =
      switch params["level"]?.string {
      case "debug": .debug
      case "warning": .warning
      case "error", "critical", "alert", "emergency": .error
      default: .info
      }
    let data = params["data"] ?? .null
    let text = (params["logger"]?.string.map { "\($0): " } ?? "") + (data.string ?? "\(data)")
    log(level, text)
  }
}
