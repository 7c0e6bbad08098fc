/// The place of a value inside another one (RFC 6901): `/params/0/name`, or nothing for the whole.
public struct JSONPointer: Sendable, Hashable {
  /// The keys and indices on the way, without RFC 6901's escapes.
  public let tokens: [String]

  public static let root = JSONPointer(tokens: [])

  public init(tokens: [String]) { self.tokens = tokens }

  /// Reads a pointer as it is written.
  ///
  /// It is nil unless the text is empty or begins with a slash, and each tilde is part of `~0` or `~1`.
  public init?(_ text: String) {
    var parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.removeFirst().isEmpty else { return nil }
    var tokens: [String] = []
    for part in parts {
      guard let token = Self.unescaped(part) else { return nil }
      tokens.append(token)
    }
    self.tokens = tokens
  }

  private static func unescaped(_ part: Substring) -> String? {
    guard part.utf8.contains(UInt8(ascii: "~")) else { return String(part) }
    var token = String.UnicodeScalarView()
    var rest = part.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "~" else {
        token.append(scalar)
        continue
      }
      switch rest.popFirst() {
      case "0": token.append("~")
      case "1": token.append("/")
      default: return nil
      }
    }
    return String(token)
  }

  public func appending(_ key: String) -> JSONPointer { JSONPointer(tokens: tokens + [key]) }

  public func appending(_ index: Int) -> JSONPointer { appending(String(index)) }
}

extension JSONPointer: CustomStringConvertible {
  public var description: String {
    var text = ""
    for token in tokens {
      text += "/"
      for scalar in token.unicodeScalars {
        switch scalar {
        case "~": text += "~0"
        case "/": text += "~1"
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
    return text
  }

  /// A sentence about the value there, with the pointer before it unless that is the whole.
  func prefixing(_ message: String) -> String { tokens.isEmpty ? message : "\(self): \(message)" }

  /// What a token means in an array: `0` or digits that don't begin with 0; nil for anything else, `-` too.
  static func index(_ token: String) -> Int? {
    let digits = token.utf8
    guard digits.allSatisfy(\.isDigit), digits.first != .zero || digits.count == 1 else { return nil }
    return Int(token)
  }
}

extension JSONValue {
  /// The value at a place inside this one; nil where there is nothing.
  public subscript(pointer pointer: JSONPointer) -> JSONValue? {
    pointer.tokens.reduce(self as JSONValue?) { value, token in
      guard let value else { return nil }
      guard value.kind == .array else { return value[token] }
      return JSONPointer.index(token).flatMap { value[$0] }
    }
  }
}
