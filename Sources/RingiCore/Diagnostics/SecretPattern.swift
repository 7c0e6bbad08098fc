internal import Glibc
internal import HTTP

/// A secret's value, and where a text shows it.
///
/// Programs differ in what they escape, so each byte may stand as it is, percent-encoded (RFC 3986 §2.1, a space as `+`
/// too) or escaped as in JSON, in any mixture. Base64 is found in either alphabet (RFC 4648 §4 and §5), and inside that
/// of a longer text.
struct SecretPattern: Sendable {
  private let bytes: [UInt8]
  /// Digits of base64 that show the secret: all of it by itself, and what is sure of it wherever a group of three begins.
  private let base64: [[UInt8]]
  /// Which bytes of a text may begin one of the forms.
  private let begins: [Bool]

  /// Makes the pattern of a value of four bytes at least; shorter ones are too common to look for.
  init?(_ secret: String) {
    guard secret.utf8.count >= 4 else { return nil }
    let bytes = Array(secret.utf8)
    let whole = Array(Base64.encode(bytes).utf8.prefix { $0 != UInt8(ascii: "=") })
    let base64 = [whole] + (0..<3).map { Self.digits(of: bytes, shift: $0) }
    let firsts = [bytes[0], UInt8(ascii: "%"), UInt8(ascii: "\\"), bytes[0] == 0x20 ? UInt8(ascii: "+") : bytes[0]]
    begins = (UInt8.min...UInt8.max).map { byte in
      firsts.contains(byte) || base64.contains { $0[0] == Self.standard(byte) }
    }
    self.bytes = bytes
    self.base64 = base64
  }

  /// How many bytes the value has; of several secrets the longest is to be looked for first.
  var count: Int { bytes.count }

  /// The digits that base64 certainly has when the secret stands `shift` bytes into a group of three.
  private static func digits(of secret: [UInt8], shift: Int) -> [UInt8] {
    let whole = Base64.encode(Array(repeating: 0, count: shift) + secret)
    let sure = whole.utf8.prefix((shift + secret.count) * 8 / 6)
    return Array(sure.dropFirst(shift == 0 ? 0 : shift + 1))
  }

  /// The first place from `start` on where the text shows the secret.
  func firstRange(in text: UnsafeBufferPointer<UInt8>, from start: Int = 0) -> Range<Int>? {
    var place = start
    while place < text.count {
      if begins[Int(text[place])], let end = end(in: text, from: place) { return place..<end }
      place += 1
    }
    return nil
  }

  /// Where the secret ends that begins at a place; `nil` when none does.
  private func end(in text: UnsafeBufferPointer<UInt8>, from place: Int) -> Int? {
    // A value that looks escaped itself may be meant as it stands or escaped once more; all of it has to go.
    let (plain, escaped) = (plainEnd(in: text, from: place), escapedEnd(in: text, from: place))
    if plain != nil || escaped != nil { return max(plain ?? place, escaped ?? place) }
    for digits in base64 where place + digits.count <= text.count {
      var index = 0
      while index < digits.count, Self.standard(text[place + index]) == digits[index] { index += 1 }
      guard index == digits.count else { continue }
      var end = place + index
      while end < text.count, text[end] == UInt8(ascii: "=") { end += 1 }
      return end
    }
    return nil
  }

  /// The digit of the usual alphabet that one of the alphabet for URLs stands for.
  private static func standard(_ digit: UInt8) -> UInt8 {
    switch digit {
    case UInt8(ascii: "-"): UInt8(ascii: "+")
    case UInt8(ascii: "_"): UInt8(ascii: "/")
    default: digit
    }
  }

  private func plainEnd(in text: UnsafeBufferPointer<UInt8>, from place: Int) -> Int? {
    guard let base = text.baseAddress, place + bytes.count <= text.count,
      memcmp(base + place, bytes, bytes.count) == 0
    else { return nil }
    return place + bytes.count
  }

  private func escapedEnd(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var (place, matched) = (start, 0)
    while matched < bytes.count {
      guard place < text.count else { return nil }
      if let escape = TextEscape(in: text, at: place), let count = escape.match(bytes[matched...]) {
        matched += count
        place += escape.length
      } else if text[place] == bytes[matched] || (text[place] == UInt8(ascii: "+") && bytes[matched] == 0x20) {
        matched += 1
        place += 1
      } else {
        return nil
      }
    }
    return place
  }
}
