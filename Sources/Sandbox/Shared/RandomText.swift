/// Texts nobody can guess, in the alphabets that backends use for tokens and ids.
enum RandomText {
  static func upperHex(_ digits: Int) -> String {
    let alphabet = Array("0123456789ABCDEF")
    return String((0..<digits).map { _ in alphabet[Int.random(in: 0..<16)] })
  }

  static func lowerHex(_ digits: Int) -> String { upperHex(digits).lowercased() }

  static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }

  /// A random UUID (version 4, RFC 9562).
  static func uuid() -> String {
    let digits = Array(lowerHex(32))
    let variant = "89ab".randomElement() ?? "8"
    let parts = [
      String(digits[0..<8]), String(digits[8..<12]), "4" + String(digits[13..<16]),
      String(variant) + String(digits[17..<20]), String(digits[20..<32]),
    ]
    return parts.joined(separator: "-")
  }
}
