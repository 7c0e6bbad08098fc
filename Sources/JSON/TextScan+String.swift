extension TextScan {
  /// From the opening quote to after the closing one, and whether there is a backslash in between.
  func string(_ open: Place, isKey: Bool) throws(ScanFailure) -> (end: Place, hasEscapes: Bool) {
    var place = open + 1
    var hasEscapes = false
    while true {
      place = plainRun(place)
      guard place < end else { throw failure(.unexpectedEnd, at: end) }
      switch place.pointee {
      case .quote: return (place + 1, hasEscapes)
      case .backslash:
        hasEscapes = true
        place = try escape(place, isKey: isKey)
      case 0x80...:
        repeat { place = try multibyte(place) } while place < end && place.pointee >= 0x80
      default: throw failure(.controlCharacter, at: place)
      }
    }
  }

  /// The first place with a byte that is no plain ASCII: a quote, a backslash, a control character or beyond 0x7F.
  @inline(__always)
  private func plainRun(_ place: Place) -> Place {
    var place = place
    while end - place >= 8 {
      let word = UInt64(bytesAt: place)
      let special =
        word.bytes(equalTo: .quote) | word.bytes(equalTo: .backslash) | word.bytesBelowSpace | word.bytesBeyondASCII
      if special != 0 { return place + special.bytesBeforeMark }
      place += 8
    }
    while place < end, Self.isPlain(place.pointee) { place += 1 }
    return place
  }

  @inline(__always)
  static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x80 && byte != .quote && byte != .backslash
  }

  /// From the backslash to after its escape, or its pair of escapes.
  @inline(never)
  private func escape(_ place: Place, isKey: Bool) throws(ScanFailure) -> Place {
    guard place + 1 < end else { throw failure(.unexpectedEnd, at: end) }
    switch place[1] {
    case .quote, .backslash, UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      return place + 2
    case UInt8(ascii: "u"):
      let unit = try codeUnit(place)
      switch unit {
      case 0 where isKey: throw failure(.nulInKey, at: place)
      case 0xDC00...0xDFFF: throw failure(.loneSurrogate, at: place)
      case 0xD800...0xDBFF:
        let second = place + 6
        guard second < end else { throw failure(.unexpectedEnd, at: end) }
        guard second.pointee == .backslash, second + 1 == end || second[1] == UInt8(ascii: "u") else {
          throw failure(.loneSurrogate, at: place)
        }
        guard (0xDC00...0xDFFF).contains(try codeUnit(second)) else { throw failure(.loneSurrogate, at: place) }
        return place + 12
      default: return place + 6
      }
    default: throw failure(.unknownEscape, at: place)
    }
  }

  /// The four digits of a `\u` escape.
  private func codeUnit(_ place: Place) throws(ScanFailure) -> UInt32 {
    var unit: UInt32 = 0
    for index in 2..<6 {
      guard place + index < end else { throw failure(.unexpectedEnd, at: end) }
      guard let digit = place[index].hexValue else { throw failure(.badUnicodeEscape, at: place) }
      unit = unit << 4 | digit
    }
    return unit
  }

  /// One character of two to four bytes, by the table of RFC 3629 section 4: no overlong form, no surrogate, nothing
  /// beyond U+10FFFF.
  @inline(__always)
  private func multibyte(_ place: Place) throws(ScanFailure) -> Place {
    let lead = place.pointee
    let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    guard end - place >= length, place[1].isContinuation else { throw failure(.invalidUTF8, at: place) }
    let isValid =
      switch length {
      case 2: lead >= 0xC2
      case 3:
        place[2].isContinuation && (lead != 0xE0 || place[1] >= 0xA0) && (lead != 0xED || place[1] < 0xA0)
      default:
        place[2].isContinuation && place[3].isContinuation && lead <= 0xF4 && (lead != 0xF0 || place[1] >= 0x90)
          && (lead != 0xF4 || place[1] < 0x90)
      }
    guard isValid else { throw failure(.invalidUTF8, at: place) }
    return place + length
  }
}
