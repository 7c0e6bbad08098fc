extension BinaryInteger {
  /// Divides towards negative infinity, so that times before 1970 need no case of their own.
  func dividedDown(by divisor: Self) -> (quotient: Self, remainder: Self) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
