internal import JSON

/// What a plain scalar stands for.
///
/// - SeeAlso: YAML 1.2.2, section 10.3.2 (core schema).
enum YAMLScalar {
  /// - Returns: nil for a number that JSON does not have: an infinity, NaN, or one that is too large.
  static func value(_ text: String) -> JSONValue? {
    switch text {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE": return true
    case "false", "False", "FALSE": return false
    default: break
    }
    if let special = special(text) { return special }
    if text.wholeMatch(of: /[-+]?[0-9]+/) != nil, let number = Int64(text) { return JSONValue(number) }
    if text.wholeMatch(of: /[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?/) != nil {
      return Double(text).flatMap { $0.isFinite ? JSONValue($0) : nil }
    }
    return JSONValue(text)
  }

  /// Numbers in another notation; the outer nil means that it is none of them.
  private static func special(_ text: String) -> JSONValue?? {
    if text.wholeMatch(of: /[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)/) != nil { return .some(nil) }
    for (prefix, radix) in [("0o", 8), ("0x", 16)] where text.hasPrefix(prefix) && text.utf8.count > 2 {
      let digits = text.dropFirst(2)
      guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
        digits.allSatisfy({ radix == 16 || "01234567".contains($0) })
      else { continue }
      return .some(Int64(digits, radix: radix).map { JSONValue($0) })
    }
    return nil
  }
}
