/// A set of numbers from 0 to 63.
struct NumberSet: Hashable, Sendable {
  private var bits: UInt64 = 0

  var first: Int? { next(from: 0) }

  mutating func insert(_ number: Int) { bits |= 1 << UInt64(number) }
  mutating func formUnion(_ other: NumberSet) { bits |= other.bits }
  func contains(_ number: Int) -> Bool { bits & (1 << UInt64(number)) != 0 }

  /// The smallest member that is `number` or more.
  func next(from number: Int) -> Int? {
    let rest = bits & (.max << UInt64(number))
    return rest == 0 ? nil : rest.trailingZeroBitCount
  }
}
