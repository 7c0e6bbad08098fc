/// Base64 of RFC 4648, section 4.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encode(_ bytes: some Collection<UInt8>) -> String {
    var output: [UInt8] = []
    output.reserveCapacity((bytes.count + 2) / 3 * 4)
    var (group, filled) = (UInt32(0), 0)
    for byte in bytes {
      group = group << 8 | UInt32(byte)
      filled += 1
      guard filled == 3 else { continue }
      for shift in [18, 12, 6, 0] as [UInt32] { output.append(alphabet[Int(group >> shift & 63)]) }
      (group, filled) = (0, 0)
    }
    if filled > 0 {
      group <<= filled == 1 ? 16 : 8
      output.append(alphabet[Int(group >> 18 & 63)])
      output.append(alphabet[Int(group >> 12 & 63)])
      output.append(filled == 2 ? alphabet[Int(group >> 6 & 63)] : UInt8(ascii: "="))
      output.append(UInt8(ascii: "="))
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// The digits that a text certainly has wherever it stands in a longer one, `shift` bytes into a group of three.
  static func inner(_ bytes: some Collection<UInt8>, shift: Int) -> String {
    let whole = encode(Array(repeating: 0, count: shift) + Array(bytes))
    let front = shift == 0 ? 0 : shift + 1
    let bits = (shift + bytes.count) * 8
    return String(whole.prefix(bits / 6).dropFirst(front))
  }
}
