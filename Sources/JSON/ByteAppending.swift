extension [UInt8] {
  @inline(__always)
  mutating func append(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends an integer in decimal digits.
  package mutating func appendJSON(_ integer: Int64) {
    // Nineteen digits and a sign.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var first = 20
      var rest = integer.magnitude
      repeat {
        first -= 1
        digits[first] = .zero + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest != 0
      if integer < 0 {
        first -= 1
        digits[first] = .minus
      }
      append(contentsOf: digits[first...])
    }
  }

  /// Appends a finite real in its shortest exact form, with a point or an exponent: `68.32`, `1.0`, `1e+22`, `-0.0`.
  package mutating func appendJSON(_ real: Double) {
    append(contentsOf: real.description.utf8)
  }

  /// Appends text as a JSON string: in quotes, with only what must be escaped escaped.
  package mutating func appendJSON(_ text: String) {
    text.withBytes { appendJSON($0) }
  }

  /// Appends valid UTF-8 as a JSON string.
  mutating func appendJSON(_ text: UnsafeBufferPointer<UInt8>) {
    append(.quote)
    var rest = text
    while true {
      let plain = rest.countBeforeEscape
      append(contentsOf: UnsafeBufferPointer(rebasing: rest[..<plain]))
      guard plain < rest.count else { break }
      appendEscape(rest[plain])
      rest = UnsafeBufferPointer(rebasing: rest[(plain + 1)...])
    }
    append(.quote)
  }

  private mutating func appendEscape(_ byte: UInt8) {
    append(.backslash)
    switch byte {
    case 0x08: append(UInt8(ascii: "b"))
    case 0x09: append(UInt8(ascii: "t"))
    case .newline: append(UInt8(ascii: "n"))
    case 0x0C: append(UInt8(ascii: "f"))
    case 0x0D: append(UInt8(ascii: "r"))
    case ..<0x20:
      append("u00")
      append(.zero + byte >> 4)
      let low = byte & 0xF
      append(low < 10 ? .zero + low : UInt8(ascii: "a") + low - 10)
    default: append(byte)
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// How many bytes can stand in a JSON string as they are, before the first that can't.
  fileprivate var countBeforeEscape: Int {
    guard let base = baseAddress else { return 0 }
    var index = 0
    while count - index >= 8 {
      let word = UInt64(bytesAt: base + index)
      let escapes = word.bytes(equalTo: .quote) | word.bytes(equalTo: .backslash) | word.bytesBelowSpace
      if escapes != 0 { return index + escapes.bytesBeforeMark }
      index += 8
    }
    while index < count, self[index] >= 0x20, self[index] != .quote, self[index] != .backslash { index += 1 }
    return index
  }
}
