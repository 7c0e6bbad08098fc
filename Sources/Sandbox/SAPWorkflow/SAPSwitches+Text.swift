internal import Timing

extension SAPSwitches {
  /// A switch name or value that is not known; says what would be.
  package struct TextError: Error, CustomStringConvertible { package let description: String }

  /// The switches with their values, as `set` takes them.
  package var texts: [(name: String, value: String)] {
    [
      ("headerCase", headerCase.rawValue), ("errorCodeStyle", errorCodeStyle.rawValue),
      ("nullStyle", nullStyle.rawValue), ("mergeDepth", mergeDepth.rawValue), ("latency", latency.text),
      ("affinity", affinity.rawValue), ("sessionIdle", DurationText.format(sessionIdle)),
      ("tokenLife", DurationText.format(tokenLife)), ("refreshTokens", refreshTokens.rawValue),
      ("privilegesCode", "\(privilegesCode)"), ("rateLimit", rateLimit.map { "\($0)" } ?? "none"),
      ("rateLimitRetryAfter", rateLimitRetryAfter ?? "none"),
    ]
  }

  /// Sets one switch by its name.
  ///
  /// - Throws: `TextError` for an unknown name or value; nothing is changed then.
  package mutating func set(_ name: String, _ text: String) throws(TextError) {
    switch name {
    case "headerCase": headerCase = try Self.choice(name, text)
    case "errorCodeStyle": errorCodeStyle = try Self.choice(name, text)
    case "nullStyle": nullStyle = try Self.choice(name, text)
    case "mergeDepth": mergeDepth = try Self.choice(name, text)
    case "affinity": affinity = try Self.choice(name, text)
    case "refreshTokens": refreshTokens = try Self.choice(name, text)
    case "latency": latency = try Self.value(name, text, Latency(text: text), "tick, or a duration such as 500ms")
    case "sessionIdle": sessionIdle = try Self.duration(name, text)
    case "tokenLife": tokenLife = try Self.duration(name, text)
    case "privilegesCode": privilegesCode = try Self.value(name, text, Bool(text), "true or false")
    case "rateLimit":
      rateLimit = text == "none" ? nil : try Self.value(name, text, Int(text), "requests per second, or none")
    case "rateLimitRetryAfter": rateLimitRetryAfter = text == "none" ? nil : text
    default:
      throw TextError(description: "No switch \(name); there are \(texts.map(\.name).joined(separator: ", ")).")
    }
  }

  private static func choice<Choice>(_ name: String, _ text: String) throws(TextError) -> Choice
  where Choice: RawRepresentable<String> & CaseIterable {
    try value(name, text, Choice(rawValue: text), Choice.allCases.map(\.rawValue).joined(separator: ", "))
  }

  private static func duration(_ name: String, _ text: String) throws(TextError) -> Duration {
    try value(name, text, try? DurationText.parse(text), "a duration such as 30s, 20m or 12h")
  }

  private static func value<Value>(
    _ name: String, _ text: String, _ value: Value?, _ taken: String
  ) throws(TextError) -> Value {
    guard let value else { throw TextError(description: "\(name) takes \(taken), not \"\(text)\".") }
    return value
  }
}
