/// Eight bytes of text looked at at once.
///
/// The first byte of the text is the lowest one. Each test answers with a bit in each byte that passes; the subtraction
/// in some may carry on into later bytes and mark them wrongly, but the lowest mark is always right.
extension UInt64 {
  private static var ones: UInt64 { 0x0101_0101_0101_0101 }
  private static var highBits: UInt64 { 0x8080_8080_8080_8080 }

  @inline(__always)
  init(bytesAt place: UnsafePointer<UInt8>) {
    self.init(littleEndian: UnsafeRawPointer(place).loadUnaligned(as: UInt64.self))
  }

  @inline(__always)
  func bytes(equalTo byte: UInt8) -> UInt64 {
    let difference = self ^ (Self.ones &* UInt64(byte))
    return (difference &- Self.ones) & ~difference & Self.highBits
  }

  @inline(__always)
  var bytesBelowSpace: UInt64 { (self &- (Self.ones &* 0x20)) & ~self & Self.highBits }

  @inline(__always)
  var bytesBeyondASCII: UInt64 { self & Self.highBits }

  /// How many bytes come before the first mark, when this is the answer of a test.
  @inline(__always)
  var bytesBeforeMark: Int { trailingZeroBitCount / 8 }
}
