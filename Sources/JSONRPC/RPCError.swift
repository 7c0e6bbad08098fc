public import JSON

/// An error as a client sees it: the JSON-RPC error object, with the word for programs in `data.kind`.
///
/// - SeeAlso: JSON-RPC 2.0, section 5.1.
public struct RPCError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The number; −32768 to −32000 are reserved by the specification.
  public let code: Int
  /// The word for programs, in `data.kind`.
  public let kind: String
  /// What happened and what to do, in one sentence.
  public var message: String
  /// Whether sending the same again is safe and useful.
  public var isRetryable: Bool
  /// Further members of `data`.
  public var details: [String: JSONValue]

  public init(
    code: Int, kind: String, message: String, isRetryable: Bool = false, details: [String: JSONValue] = [:]
  ) {
    self.code = code
    self.kind = kind
    self.message = message
    self.isRetryable = isRetryable
    self.details = details
  }

  public var description: String { message }

  /// The `data` member.
  public var data: JSONValue {
    let known: [(String, JSONValue)] = [("kind", JSONValue(kind)), ("retryable", JSONValue(isRetryable))]
    return JSONValue(object: known + details.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }

  /// The error object.
  public var json: JSONValue {
    ["code": JSONValue(code), "message": JSONValue(message), "data": data]
  }

  /// Reads an error object as ``json`` makes it; `nil` when it is none.
  public init?(json: JSONValue) {
    guard let code = json["code"]?.int, let message = json["message"]?.string, let kind = json["data"]?["kind"]?.string
    else { return nil }
    let known = ["kind", "retryable"]
    self.init(
      code: Int(clamping: code), kind: kind, message: message, isRetryable: json["data"]?["retryable"]?.bool ?? false,
      details: Dictionary(
        json["data"]?.object?.filter { !known.contains($0.key) }.map { ($0.key, $0.value) } ?? []
      ) { $1 })
  }
}

// MARK: - The specification's own

extension RPCError {
  /// Makes a -32700: the text is no JSON.
  public static func parseError(_ message: String, details: [String: JSONValue] = [:]) -> RPCError {
    RPCError(code: -32700, kind: "parse-error", message: message, details: details)
  }

  /// Makes a -32600: the JSON is no request.
  public static func invalidRequest(_ message: String) -> RPCError {
    RPCError(code: -32600, kind: "invalid-request", message: message)
  }

  /// Makes a -32601.
  public static func methodNotFound(_ message: String) -> RPCError {
    RPCError(code: -32601, kind: "method-not-found", message: message)
  }

  /// Makes a -32602; the message names the parameter, what it got and what it takes.
  public static func invalidParams(_ message: String, details: [String: JSONValue] = [:]) -> RPCError {
    RPCError(code: -32602, kind: "invalid-params", message: message, details: details)
  }

  /// Makes a -32603: a fault of the agent's own.
  public static func internalError(_ message: String) -> RPCError {
    RPCError(code: -32603, kind: "internal-error", message: message)
  }

  /// Makes the error for a text that doesn't parse, with its place.
  public static func parseError(_ error: JSONSyntaxError) -> RPCError {
    parseError(
      "The message is not JSON: \(error.message) at line \(error.line), column \(error.column); correct it and send it again.",
      details: [
        "line": JSONValue(error.line), "column": JSONValue(error.column), "byte": JSONValue(error.byte),
      ])
  }
}

// MARK: - Ringi's

extension RPCError {
  /// Makes a -32000: too much at once, or about to end.
  public static func overloaded(_ message: String) -> RPCError {
    RPCError(code: -32000, kind: "overloaded", message: message, isRetryable: true)
  }

  /// Makes a -32001: the listener's `allow` excludes the method.
  public static func forbidden(_ message: String) -> RPCError {
    RPCError(code: -32001, kind: "forbidden", message: message)
  }

  /// Makes a -32002: the backend refused.
  ///
  /// - Parameters:
  ///   - provider: The plugin instance.
  ///   - status: The HTTP status, where there is one.
  ///   - code: The backend's own code.
  ///   - message: What happened and what to do.
  ///   - details: Further members of `data`.
  /// - Returns: The error.
  public static func backendError(
    provider: String, status: Int? = nil, code: String? = nil, message: String, details: [String: JSONValue] = [:]
  ) -> RPCError {
    var details = details
    details["provider"] = JSONValue(provider)
    if let status { details["status"] = JSONValue(status) }
    if let code { details["code"] = JSONValue(code) }
    details["message"] = details["message"] ?? JSONValue(message)
    return RPCError(code: -32002, kind: "backend-error", message: message, details: details)
  }

  /// Makes a -32003: credentials are missing, wrong, or expired beyond refresh.
  public static func loginRequired(provider: String, message: String) -> RPCError {
    RPCError(code: -32003, kind: "login-required", message: message, details: ["provider": JSONValue(provider)])
  }

  /// Makes a -32004: no such task, job, hook, plugin, subscription or record.
  public static func notFound(_ message: String, details: [String: JSONValue] = [:]) -> RPCError {
    RPCError(code: -32004, kind: "not-found", message: message, details: details)
  }

  /// Makes a -32005: already decided otherwise, or changed since it was read.
  public static func conflict(_ message: String, details: [String: JSONValue] = [:]) -> RPCError {
    RPCError(code: -32005, kind: "conflict", message: message, details: details)
  }

  /// Makes a -32006: network, TLS, time-out, 5xx or 429.
  ///
  /// - Parameters:
  ///   - message: What happened and what to do.
  ///   - retryAfter: Seconds until another try makes sense, where the backend said so.
  ///   - isRetryable: Whether the same may be sent again; not for a write that may have happened.
  ///   - details: Further members of `data`.
  /// - Returns: The error.
  public static func unavailable(
    _ message: String, retryAfter: Double? = nil, isRetryable: Bool = true, details: [String: JSONValue] = [:]
  ) -> RPCError {
    var details = details
    if let retryAfter {
      details["retryAfter"] = Int64(exactly: retryAfter).map { JSONValue($0) } ?? JSONValue(retryAfter)
    }
    return RPCError(
      code: -32006, kind: "unavailable", message: message, isRetryable: isRetryable, details: details)
  }

  /// Makes a -32007: the plugin is not running or died during the call.
  public static func pluginDown(_ message: String) -> RPCError {
    RPCError(code: -32007, kind: "plugin-down", message: message, isRetryable: true)
  }

  /// Makes a -32008: a write was sent, and neither its answer nor a read-back came.
  public static func outcomeUnknown(_ message: String, details: [String: JSONValue] = [:]) -> RPCError {
    RPCError(code: -32008, kind: "outcome-unknown", message: message, details: details)
  }

  /// Makes a -32800.
  public static func cancelled(_ message: String = "The request was cancelled.") -> RPCError {
    RPCError(code: -32800, kind: "cancelled", message: message, isRetryable: true)
  }

  /// Seconds until another try makes sense, where a backend said so.
  public var retryAfter: Double? { details["retryAfter"]?.double }
}
