internal import Timing

extension SAPSwitches: SandboxSwitches {
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

  package mutating func set(_ name: String, _ text: String) throws(SwitchError) {
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
    case "privilegesCode": privilegesCode = try Self.bool(name, text)
    case "rateLimit":
      rateLimit = text == "none" ? nil : try Self.value(name, text, Int(text), "requests per second, or none")
    case "rateLimitRetryAfter": rateLimitRetryAfter = text == "none" ? nil : text
    default: throw unknown(name)
    }
  }
}
