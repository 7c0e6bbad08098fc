/// One character, or one byte of one, that a text writes in another way than as itself.
struct TextEscape {
  private enum Meaning {
    case byte(UInt8)
    case scalar(Unicode.Scalar)
  }

  private let meaning: Meaning
  /// How many bytes of the text it takes.
  let length: Int

  init?(in text: UnsafeBufferPointer<UInt8>, at place: Int) {
    switch text[place] {
    case UInt8(ascii: "%"):
      guard let value = Self.hex(text, place + 1, digits: 2) else { return nil }
      (meaning, length) = (.byte(UInt8(value)), 3)
    case UInt8(ascii: "\\"):
      guard place + 1 < text.count else { return nil }
      if let byte = Self.short(text[place + 1]) {
        (meaning, length) = (.byte(byte), 2)
      } else {
        guard text[place + 1] == UInt8(ascii: "u"), let (scalar, length) = Self.scalar(text, place) else { return nil }
        (meaning, self.length) = (.scalar(scalar), length)
      }
    default: return nil
    }
  }

  /// How many bytes at the front of `bytes` it stands for; `nil` when it stands for others.
  func match(_ bytes: ArraySlice<UInt8>) -> Int? {
    switch meaning {
    case .byte(let byte): return bytes.first == byte ? 1 : nil
    case .scalar(let scalar): return bytes.starts(with: scalar.utf8) ? scalar.utf8.count : nil
    }
  }

  /// Whether a text ends before an escape that may begin at a place.
  static func isBegun(in text: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
    switch text[place] {
    case UInt8(ascii: "%"): text.count - place < 3
    case UInt8(ascii: "\\"): text.count - place < 12 && text[place...].allSatisfy(isOfScalar)
    default: false
    }
  }

  /// How many bytes at the front of a text are at most what is left of an escape whose beginning was cut off.
  static func lengthOfRest(in text: UnsafeBufferPointer<UInt8>) -> Int {
    min(text.count, max(1, text.prefix(11).prefix(while: isOfScalar).count))
  }

  /// Whether a byte may stand in `\uXXXX`.
  private static func isOfScalar(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "u") || Character(Unicode.Scalar(byte)).isHexDigit
  }

  /// `\uXXXX`, or two of them for a character beyond the first 65,536.
  private static func scalar(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> (Unicode.Scalar, length: Int)? {
    guard let first = hex(text, place + 2, digits: 4) else { return nil }
    if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
    guard (0xD800..<0xDC00).contains(first), place + 7 < text.count, text[place + 6] == UInt8(ascii: "\\"),
      text[place + 7] == UInt8(ascii: "u"), let second = hex(text, place + 8, digits: 4),
      (0xDC00..<0xE000).contains(second)
    else { return nil }
    return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)).map { ($0, 12) }
  }

  /// What a letter stands for behind a backslash.
  private static func short(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  private static func hex(_ text: UnsafeBufferPointer<UInt8>, _ place: Int, digits: Int) -> UInt32? {
    guard place + digits <= text.count else { return nil }
    var value: UInt32 = 0
    for byte in text[place..<place + digits] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}
