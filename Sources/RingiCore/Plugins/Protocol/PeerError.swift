internal import JSON
internal import JSONRPC

/// The error that a plugin answered with, with one of the agent's codes.
///
/// Its message is whole, and may hold secrets: ``PendingCalls`` takes them out before it cuts the message.
enum PeerError {
  private static let codes = [
    "invalid-params": -32602, "overloaded": -32000, "backend-error": -32002, "login-required": -32003,
    "not-found": -32004, "conflict": -32005, "unavailable": -32006, "outcome-unknown": -32008, "cancelled": -32800,
  ]
  private static let retryable: Set = ["overloaded", "unavailable", "cancelled"]

  /// Whether an error says that the plugin doesn't know the method.
  static func isUnknownMethod(_ error: RPCError) -> Bool { error.details["code"] == "-32601" }

  /// An answer that is none.
  static func odd(_ what: String, from name: String) -> RPCError {
    .backendError(
      provider: name, code: oddCode,
      message: "The plugin \(name) sent an answer with \(what); this is a fault in it.")
  }

  private static let oddCode = "invalid-answer"

  /// Whether an error says that an answer was none.
  static func isInvalid(_ error: RPCError) -> Bool { error.details["code"]?.string == oddCode }

  /// Whether, of a call that was sent, the error leaves open if it was carried out: no word of the plugin says so.
  static func leavesOpen(_ error: RPCError) -> Bool {
    switch error.kind {
    case "outcome-unknown", "cancelled", "plugin-down": true
    case "unavailable": error.details["provider"] == nil
    default: isInvalid(error)
    }
  }

  /// Reads an error object; what is not one of the agent's kinds is the backend's.
  ///
  /// - Parameters:
  ///   - json: The object, or whatever is in its place.
  ///   - name: The plugin instance.
  /// - Returns: An error with one of the agent's codes.
  static func read(_ json: JSONValue, from name: String) -> RPCError {
    let code = json["code"]?.int
    return read(
      json, as: json["data"]?["kind"]?.string ?? codes.first { code == Int64($0.value) }?.key ?? "", from: name)
  }

  /// Reads the parts of an error.
  ///
  /// - Parameters:
  ///   - kind: One of the agent's kinds; anything else is the backend's.
  ///   - message: What happened.
  ///   - data: An object with more.
  ///   - name: The plugin instance.
  /// - Returns: An error with one of the agent's codes.
  static func read(_ kind: String?, _ message: String, _ data: JSONValue?, from name: String) -> RPCError {
    read(
      [
        "code": -32002, "message": JSONValue(message),
        "data": (data ?? .emptyObject).setting("kind", to: kind.map { JSONValue($0) }),
      ],
      from: name)
  }

  /// Reads an error object of a plugin that doesn't know the agent's kinds, and whose numbers have other meanings.
  ///
  /// - Parameters:
  ///   - json: The object, or whatever is in its place.
  ///   - name: The plugin instance.
  /// - Returns: An error with one of the agent's codes.
  static func readForeign(_ json: JSONValue, from name: String) -> RPCError {
    read(json, as: json["code"]?.int == -32602 ? "invalid-params" : "backend-error", from: name)
  }

  private static func read(_ json: JSONValue, as kind: String, from name: String) -> RPCError {
    if let text = json.string { return .backendError(provider: name, message: text) }
    guard let code = json["code"]?.int, let message = json["message"]?.string else {
      return odd("an error that is no error object", from: name)
    }
    let data = json["data"]
    var details = Dictionary(data?.object?.map { ($0.key, $0.value) } ?? []) { $1 }
    details["kind"] = nil
    details["retryable"] = nil
    // By these the agent knows errors of its own.
    details["since"] = nil
    if details["reason"]?.string?.hasPrefix("store-") == true { details["reason"] = nil }
    details["provider"] = JSONValue(name)
    guard let known = codes[kind], kind != "backend-error" else {
      if data?.object == nil, let data { details["data"] = data }
      let code = details["code"]?.string ?? String(code)
      return .backendError(provider: name, code: code, message: message, details: details)
    }
    return RPCError(
      code: known, kind: kind, message: message, isRetryable: data?["retryable"]?.bool ?? retryable.contains(kind),
      details: details)
  }
}
