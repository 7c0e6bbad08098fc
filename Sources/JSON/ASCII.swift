/// The bytes that mean something in JSON, by name.
extension UInt8 {
  static var quote: UInt8 { 0x22 }
  static var comma: UInt8 { 0x2C }
  static var minus: UInt8 { 0x2D }
  static var plus: UInt8 { 0x2B }
  static var point: UInt8 { 0x2E }
  static var zero: UInt8 { 0x30 }
  static var colon: UInt8 { 0x3A }
  static var backslash: UInt8 { 0x5C }
  static var openBracket: UInt8 { 0x5B }
  static var closeBracket: UInt8 { 0x5D }
  static var openBrace: UInt8 { 0x7B }
  static var closeBrace: UInt8 { 0x7D }
  static var newline: UInt8 { 0x0A }
  static var space: UInt8 { 0x20 }

  var isDigit: Bool { self &- .zero <= 9 }

  var isContinuation: Bool { self & 0xC0 == 0x80 }

  /// Space, tab, line feed, carriage return: all the white space JSON knows.
  var isJSONSpace: Bool { self <= 0x20 && (1 &<< UInt64(self)) & 0x1_0000_2600 != 0 }

  /// What a hexadecimal digit stands for.
  var hexValue: UInt32? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(self - .zero)
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(self - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(self - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}
