/// Base64 (RFC 4648), in its plain and its URL alphabet.
enum Base64 {
  private static let plain = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let url = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func encode(_ bytes: [UInt8]) -> String { encode(bytes, plain, padded: true) }

  /// The URL alphabet without padding, as JSON Web Tokens use it.
  static func encodeForURL(_ bytes: [UInt8]) -> String { encode(bytes, url, padded: false) }

  /// - Returns: nil when `text` is not plain, padded base64.
  static func decode(_ text: Substring) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count.isMultiple(of: 4) else { return nil }
    let padding = characters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2 else { return nil }
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    for (index, character) in characters.dropLast(padding).enumerated() {
      guard let value = plain.firstIndex(of: character) else { return nil }
      bits = bits << 6 | UInt32(value)
      if !index.isMultiple(of: 4) { bytes.append(UInt8(truncatingIfNeeded: bits >> (6 - 2 * UInt32(index % 4)))) }
    }
    return bytes
  }

  private static func encode(_ bytes: [UInt8], _ alphabet: [UInt8], padded: Bool) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
      for place in 0...group.count { text.append(alphabet[Int(bits >> (18 - 6 * UInt32(place)) & 63)]) }
      if padded { text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - group.count)) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
