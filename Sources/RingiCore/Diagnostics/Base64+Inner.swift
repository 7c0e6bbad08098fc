internal import HTTP

extension Base64 {
  /// The digits that a text certainly has wherever it stands in a longer one, `shift` bytes into a group of three.
  static func inner(_ bytes: some Collection<UInt8>, shift: Int) -> String {
    let whole = encode(Array(repeating: 0, count: shift) + Array(bytes))
    let front = shift == 0 ? 0 : shift + 1
    let bits = (shift + bytes.count) * 8
    return String(whole.prefix(bits / 6).dropFirst(front))
  }
}
