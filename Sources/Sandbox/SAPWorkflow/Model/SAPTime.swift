internal import Timing

/// Times as the service writes and reads them.
enum SAPTime {
  /// ISO 8601 in UTC with exactly three digits of fraction.
  static func text(_ time: Timestamp) -> String {
    let text = time.rfc3339
    return text.contains(".") ? text : text.dropLast() + ".000Z"
  }

  /// Reads `yyyy-MM-dd'T'HH:mm:ss.SSS'Z'` and `yyyyMMddHHmmss.SSS`; milliseconds are part of both.
  static func parse(_ text: String) -> Timestamp? {
    let characters = Array(text)
    if characters.count == 24, characters[19] == ".", characters[10] == "T", characters[23] == "Z" {
      return Timestamp(rfc3339: text)
    }
    guard characters.count == 18, characters[14] == ".", characters.allSatisfy({ $0 == "." || $0.isASCIIDigit }) else {
      return nil
    }
    func part(_ range: Range<Int>) -> String { String(characters[range]) }
    let date = "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))"
    return Timestamp(rfc3339: "\(date)T\(part(8..<10)):\(part(10..<12)):\(part(12..<14)).\(part(15..<18))Z")
  }
}

extension Character {
  var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
