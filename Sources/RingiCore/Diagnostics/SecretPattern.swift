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
  private let firsts: [Bool]

  /// Makes the pattern of a value of four bytes at least; shorter ones are too common to look for.
  init?(_ secret: String) {
    guard secret.utf8.count >= 4 else { return nil }
    let bytes = Array(secret.utf8)
    let whole = Array(Base64.encode(bytes).utf8.prefix { $0 != UInt8(ascii: "=") })
    let base64 = [whole] + (0..<3).map { Self.digits(of: bytes, shift: $0) }
    let firsts = [bytes[0], UInt8(ascii: "%"), UInt8(ascii: "\\"), bytes[0] == 0x20 ? UInt8(ascii: "+") : bytes[0]]
    self.firsts = (UInt8.min...UInt8.max).map { byte in
      firsts.contains(byte) || base64.contains { $0[0] == Self.standard(byte) }
    }
    self.bytes = bytes
    self.base64 = base64
  }

  /// Whether a byte of a text may begin one of the forms, or what is left of one.
  func begins(with byte: UInt8) -> Bool { firsts[Int(byte)] }

  /// The digits that base64 certainly has when the secret stands `shift` bytes into a group of three.
  private static func digits(of secret: [UInt8], shift: Int) -> [UInt8] {
    let whole = Base64.encode(Array(repeating: 0, count: shift) + secret)
    let sure = whole.utf8.prefix((shift + secret.count) * 8 / 6)
    return Array(sure.dropFirst(shift == 0 ? 0 : shift + 1))
  }

  /// Where the secret ends that begins at a place; `nil` when none does.
  func end(in text: UnsafeBufferPointer<UInt8>, from place: Int) -> Int? {
    // A value that looks escaped itself may be meant as it stands or escaped once more; all of it has to go.
    let (plain, escaped) = (plainEnd(in: text, from: place), escapedEnd(in: text, from: place))
    if plain != nil || escaped != nil { return max(plain ?? place, escaped ?? place) }
    for digits in base64 where place + digits.count <= text.count {
      var index = 0
      while index < digits.count, Self.standard(text[place + index]) == digits[index] { index += 1 }
      guard index == digits.count else { continue }
      return Self.endOfPadding(in: text, from: place + index)
    }
    return nil
  }

  private static func endOfPadding(in text: UnsafeBufferPointer<UInt8>, from place: Int) -> Int {
    text[place...].firstIndex { $0 != UInt8(ascii: "=") } ?? text.count
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
    Self.end(of: bytes[...], in: text, from: start)
  }

  /// Where bytes end that begin at a place, each as it stands or escaped.
  ///
  /// - Parameters:
  ///   - bytes: What is looked for.
  ///   - text: Where.
  ///   - start: The place.
  ///   - isCut: Whether they may go on behind the end of the text.
  /// - Returns: The place behind them, or the end of the text where they go on; `nil` when they are not there.
  private static func end(
    of bytes: ArraySlice<UInt8>, in text: UnsafeBufferPointer<UInt8>, from start: Int, isCut: Bool = false
  ) -> Int? {
    var (place, matched) = (start, bytes.startIndex)
    while matched < bytes.endIndex {
      guard place < text.count else { return isCut ? place : nil }
      if isCut, TextEscape.isBegun(in: text, at: place) { return text.count }
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

// MARK: - Texts that were cut

extension SecretPattern {
  /// Whether all that a text has from a place on is the beginning of the secret.
  func isBegun(in text: UnsafeBufferPointer<UInt8>, from place: Int) -> Bool {
    let rest = text[place...]
    return (rest.count < bytes.count && bytes.starts(with: rest))
      || Self.end(of: bytes[...], in: text, from: place, isCut: true) == text.count
      || base64.contains { $0.count > rest.count && $0.starts(with: rest.lazy.map(Self.standard)) }
  }

  /// Where the end of the secret ends with which a text begins; `nil` when it does not begin so.
  func endOfRest(in text: UnsafeBufferPointer<UInt8>) -> Int? {
    let plain = (0...TextEscape.lengthOfRest(in: text)).compactMap { start in
      (1..<bytes.count).lazy.compactMap { Self.end(of: bytes[$0...], in: text, from: start) }.first
    }
    let encoded = base64.compactMap { digits in
      (1..<digits.count).lazy.map { digits[$0...] }
        .first { text.count >= $0.count && $0.elementsEqual(text.prefix($0.count).lazy.map(Self.standard)) }
        .map { Self.endOfPadding(in: text, from: $0.count) }
    }
    return (plain + encoded).max()
  }
}
