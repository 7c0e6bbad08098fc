/// Decodes `%XX` escapes (RFC 3986, 2.1).
///
/// - Parameters:
///   - text: one path segment, or one side of a query pair.
///   - plusIsSpace: whether `+` is a space, as in a form's encoding.
/// - Returns: nil when an escape is broken or the bytes are not UTF-8.
package func percentDecoded(_ text: Substring, plusIsSpace: Bool = false) -> String? {
  var bytes: [UInt8] = []
  var rest = text.utf8.makeIterator()
  while let byte = rest.next() {
    switch byte {
    case UInt8(ascii: "%"):
      guard let high = rest.next().flatMap(hexDigit), let low = rest.next().flatMap(hexDigit) else { return nil }
      bytes.append(high << 4 | low)
    case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
    default: bytes.append(byte)
    }
  }
  return String(validating: bytes, as: UTF8.self)
}

private func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}
