package import Timing

/// Makes ULIDs: 48 bits of milliseconds and 80 random bits in Crockford's base 32, growing within a millisecond.
///
/// - SeeAlso: github.com/ulid/spec
package struct ULIDGenerator {
  private var milliseconds: UInt64 = 0
  private var high: UInt16 = 0
  private var low: UInt64 = 0
  private var random: any RandomNumberGenerator

  package init(random: any RandomNumberGenerator = SystemRandomNumberGenerator()) { self.random = random }

  /// The next id.
  ///
  /// - Parameter time: Now; a clock that was set back goes on with the last id's time, so that ids still grow.
  /// - Returns: 26 characters.
  package mutating func next(at time: Timestamp) -> String {
    let now = UInt64(max(0, time.milliseconds))
    if now > milliseconds {
      milliseconds = now
      high = random.next()
      low = random.next()
    } else {
      low &+= 1
      if low == 0 { high &+= 1 }
    }
    return Self.text(milliseconds, high, low)
  }

  private static func text(_ milliseconds: UInt64, _ high: UInt16, _ low: UInt64) -> String {
    let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    var digits = [UInt8](repeating: 0, count: 26)
    var time = milliseconds
    for index in (0..<10).reversed() {
      digits[index] = alphabet[Int(time & 31)]
      time >>= 5
    }
    var tail = UInt128(high) << 64 | UInt128(low)
    for index in (10..<26).reversed() {
      digits[index] = alphabet[Int(tail & 31)]
      tail >>= 5
    }
    return String(decoding: digits, as: UTF8.self)
  }
}
