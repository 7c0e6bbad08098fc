internal import JSON
internal import JSONRPC

/// What a tool answers.
enum MCPResult {
  /// The result for the agent's client: the structured content, or else the content with all its texts and images.
  ///
  /// - Parameters:
  ///   - answer: The result of `tools/call`.
  ///   - tool: The tool, as the server calls it.
  ///   - instance: The plugin instance.
  /// - Returns: The result.
  /// - Throws: `RPCError` (backend-error) when the tool failed, or the answer is none; its message has what the server
  ///   says, with its secrets and of any length.
  static func read(_ answer: JSONValue, of tool: String, _ instance: String) throws(RPCError) -> JSONValue {
    if let type = answer["resultType"], type != "complete" {
      throw PeerError.odd("a resultType of \(type.shown)", from: instance)
    }
    let content = answer["content"]
    if answer["isError"] == true {
      throw .backendError(
        provider: instance, code: "tool-error",
        message: text(content) ?? "The tool \(JSONValue(tool)) failed, and says no more.")
    }
    if let structured = answer["structuredContent"], !structured.isNull { return structured }
    guard let content, content.array != nil else {
      throw PeerError.odd("neither content nor structuredContent", from: instance)
    }
    return ["content": content]
  }

  private static func text(_ content: JSONValue?) -> String? {
    let texts = content?.array?.compactMap { $0["type"] == "text" ? $0["text"]?.string : nil } ?? []
    let text = texts.joined(separator: "\n")
    return text.isEmpty ? nil : text
  }
}
