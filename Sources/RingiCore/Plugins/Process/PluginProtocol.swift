internal import JSON
internal import JSONRPC

/// What a plugin's program speaks, and what the two protocols call the things that both have.
package enum PluginProtocol: String, Sendable, CaseIterable {
  /// The agent's own.
  case ringi
  /// The Model Context Protocol.
  case mcp

  /// The call that asks a program to end; without one the end of its input says so.
  var shutdown: String? { self == .ringi ? "shutdown" : nil }

  /// Whether a line may hold several messages: MCP 2025-03-26 has it so.
  var takesBatches: Bool { self == .mcp }

  /// The notification that a call need not be answered any more.
  func cancellation(of id: Int) -> (method: String, params: JSONValue) {
    switch self {
    case .ringi: ("$/cancelRequest", ["id": JSONValue(id)])
    case .mcp: ("notifications/cancelled", ["requestId": JSONValue(id)])
    }
  }

  /// The call that a notification takes back; `nil` for any other notification.
  func cancelled(_ method: String, _ params: JSONValue) -> JSONValue? {
    switch (self, method) {
    case (.ringi, "$/cancelRequest"): params["id"]
    case (.mcp, "notifications/cancelled"): params["requestId"]
    default: nil
    }
  }

  /// A call's params, with the wish to hear of its progress.
  func askingForProgress(_ params: JSONValue, token: Int) -> JSONValue {
    let token = JSONValue(token)
    switch self {
    case .ringi: return params.setting("progressToken", to: token)
    case .mcp:
      return params.setting("_meta", to: (params["_meta"] ?? .emptyObject).setting("progressToken", to: token))
    }
  }

  /// What a notification tells of a call's progress; `nil` for any other notification.
  func progress(_ method: String, _ params: JSONValue) -> (token: JSONValue?, value: JSONValue)? {
    switch (self, method) {
    case (.ringi, "$/progress"): (params["token"], params["value"] ?? .null)
    case (.mcp, "notifications/progress"):
      (
        params["progressToken"],
        JSONValue(
          object: params.object?.filter { ["progress", "total", "message"].contains($0.key) }.map { ($0.key, $0.value) }
            ?? [])
      )
    default: nil
    }
  }

  /// Reads an error that a program answers.
  func error(_ json: JSONValue, from name: String) -> RPCError {
    switch self {
    case .ringi: PeerError.read(json, from: name)
    case .mcp: PeerError.readForeign(json, from: name)
    }
  }
}
