extension UnsafeBufferPointer<UInt8> {
  /// The characters that a string's valid text between its quotes stands for, in the memory of an old buffer.
  func unescaped(reusing buffer: consuming [UInt8] = []) -> [UInt8] {
    var result = buffer
    result.removeAll(keepingCapacity: true)
    result.reserveCapacity(count)
    var rest = self[...]
    while let backslash = rest.firstIndex(of: .backslash) {
      result.append(contentsOf: rest[..<backslash])
      rest = rest[(backslash + 2)...]
      switch self[backslash + 1] {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "n"): result.append(.newline)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "u"):
        var scalar = codeUnit(at: rest.startIndex)
        rest = rest.dropFirst(4)
        if 0xD800...0xDBFF ~= scalar {
          scalar = 0x10000 + (scalar - 0xD800) << 10 + (codeUnit(at: rest.startIndex + 2) - 0xDC00)
          rest = rest.dropFirst(6)
        }
        result.append(contentsOf: String(Character(Unicode.Scalar(scalar) ?? "\u{FFFD}")).utf8)
      case let other: result.append(other)
      }
    }
    result.append(contentsOf: rest)
    return result
  }

  private func codeUnit(at index: Int) -> UInt32 {
    self[index..<index + 4].reduce(0) { $0 << 4 | ($1.hexValue ?? 0) }
  }
}
