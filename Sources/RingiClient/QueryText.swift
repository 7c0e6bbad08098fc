/// The query of a request's target.
enum QueryText {
  /// Reads `a=1&b=2` with its escapes; of a name that is there twice the first counts, and a broken escape is left out.
  static func pairs(_ text: Substring) -> [String: String] {
    var pairs: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(sides[0]), let value = decoded(sides.count > 1 ? sides[1] : ""), pairs[name] == nil
      else { continue }
      pairs[name] = value
    }
    return pairs
  }

  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16) else {
          return nil
        }
        rest = rest.dropFirst(2)
        bytes.append(value)
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
