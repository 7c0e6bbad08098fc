package import JSON
package import JSONRPC
package import RingiKit

extension Method {
  /// Calls the method, whichever kind it is.
  ///
  /// - Parameters:
  ///   - params: The params as they came, or `nil`.
  ///   - call: Where the call comes from.
  /// - Returns: The result.
  /// - Throws: `RPCError` (invalid-params), or what the handler throws.
  @Loop
  package func invoke(_ params: JSONValue?, _ call: Call) async throws -> JSONValue {
    try await answer(params, call).value
  }

  /// As ``invoke(_:_:)``, with the result in the form in which the handler has it.
  @Loop
  func answer(_ params: JSONValue?, _ call: Call) async throws -> Answer {
    if case .bytes = handler { return try await run(params ?? .emptyObject, call) }
    let (params, call) = try prepare(params, call)
    return try await run(params, call)
  }

  /// Calls the handler with params that were prepared.
  @Loop
  func run(_ params: JSONValue, _ call: Call) async throws -> Answer {
    switch handler {
    case .bytes(let body):
      var output: [UInt8] = []
      try params.utf8.withUnsafeBufferPointer { try body($0, call, &output) }
      return .text(JSONText(scanned: output))
    case .sync(let body): return .value(try body(params, call))
    case .async(let body): return .value(try await body(params, call))
    case .text(let body): return .text(try await body(params, call))
    case .passed(let body): return .text(try await body(JSONText(params), call))
    }
  }

  /// A result as its handler has it.
  enum Answer: Sendable {
    case value(JSONValue)
    case text(JSONText)

    var utf8: [UInt8] {
      switch self {
      case .value(let value): value.utf8
      case .text(let text): text.utf8
      }
    }

    /// The result as a value.
    var value: JSONValue {
      get throws {
        switch self {
        case .value(let value): value
        case .text(let text): try JSONValue(parsing: text.utf8, options: JSONParsingOptions(maxDepth: 1024))
        }
      }
    }

    func write(into output: inout [UInt8]) {
      switch self {
      case .value(let value): value.write(into: &output)
      case .text(let text): text.write(into: &output)
      }
    }
  }

  /// The params as the handler takes them: by name, checked, with defaults; the progress token and the
  /// idempotency key go into the call.
  package func prepare(_ params: JSONValue?, _ call: Call) throws(RPCError) -> (JSONValue, Call) {
    var named = try named(params)
    var call = call
    if let token = named["progressToken"], !self.params.propertyNames.contains("progressToken") {
      named = named.setting("progressToken", to: nil)
      call.progressToken = token
    }
    let violations = self.params.validate(named)
    guard violations.isEmpty else { throw .invalidParams(violations, of: name) }
    if isMutation, let key = named[Self.idempotencyKey.name]?.string {
      call.idempotencyKey = key
      if hidesIdempotencyKey { named = named.setting(Self.idempotencyKey.name, to: nil) }
    }
    return (self.params.fillingDefaults(named), call)
  }

  /// By-position params become named ones, in the order of the schema; none at all are an empty object.
  private func named(_ params: JSONValue?) throws(RPCError) -> JSONValue {
    guard let params, !params.isNull else { return .emptyObject }
    guard let values = params.array else { return params }
    let names = self.params.propertyNames
    guard values.count <= names.count else {
      throw .invalidParams(
        "\(name) takes at most \(names.count) params by position\(names.isEmpty ? "" : " (\(names.joined(separator: ", ")))"), got \(values.count)."
      )
    }
    return JSONValue(object: zip(names, values).map { ($0, $1) })
  }
}

extension RPCError {
  /// The violations in one sentence each, and each in `data.violations`.
  static func invalidParams(_ violations: [Schema.Violation], of method: String) -> RPCError {
    .invalidParams(
      "\(method): \(violations.prefix(3).map(\.description).joined(separator: "; "))",
      details: [
        "violations": JSONValue(
          array: violations.map {
            ["pointer": JSONValue($0.pointer.description), "message": JSONValue($0.message)]
          })
      ])
  }
}

extension Schema {
  /// An object with the defaults of its missing members.
  package func fillingDefaults(_ value: JSONValue) -> JSONValue {
    guard value.object != nil else { return value }
    var filled = value
    for (name, schema) in properties {
      if let standard = schema.defaultValue, filled[name] == nil { filled = filled.setting(name, to: standard) }
    }
    return filled
  }
}
