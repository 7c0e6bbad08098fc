extension TextScan {
  @inline(__always)
  func number(_ first: Place) throws(ScanFailure) -> Place {
    let digits = first.pointee == .minus ? first + 1 : first
    var place = try digitRun(digits)
    if digits.pointee == .zero, place - digits > 1 { throw failure(.leadingZero, at: digits) }
    let afterDigits = place
    if place < end, place.pointee == .point { place = try digitRun(place + 1) }
    if place < end, place.pointee | 0x20 == UInt8(ascii: "e") {
      place += 1
      if place < end, place.pointee == .plus || place.pointee == .minus { place += 1 }
      let exponent = place
      place = try digitRun(place)
      // Under 100 digits times less than 1e100 is no overflow; what isn't that plain is computed.
      if place - exponent > 2 || place - first > 100 { try checkReal(first, place) }
    } else if place != afterDigits {
      if place - first > 100 { try checkReal(first, place) }
    } else if place - digits > 18 {
      try checkInteger(first, digits, place)
    }
    return place
  }

  /// One digit or more.
  @inline(__always)
  private func digitRun(_ place: Place) throws(ScanFailure) -> Place {
    var place = place
    guard place < end, place.pointee.isDigit else { throw failure(.expectedDigit, at: place) }
    repeat { place += 1 } while place < end && place.pointee.isDigit
    return place
  }

  @inline(never)
  private func checkReal(_ first: Place, _ last: Place) throws(ScanFailure) {
    guard Double(numberFrom: first, to: last).isFinite else { throw failure(.largeReal, at: first) }
  }

  @inline(never)
  private func checkInteger(_ first: Place, _ digits: Place, _ last: Place) throws(ScanFailure) {
    if Int64(numberFrom: first, to: last) != nil { return }
    guard acceptsLargeIntegers else { throw failure(.largeInteger, at: first) }
    try checkReal(first, last)
  }
}

extension Int64 {
  /// - Returns: nil when it doesn't fit.
  init?(numberFrom first: UnsafePointer<UInt8>, to last: UnsafePointer<UInt8>) {
    let isNegative = first.pointee == .minus
    var place = isNegative ? first + 1 : first
    var value: Int64 = 0
    while place < last {
      // Counted downwards, since there is one more negative number than there are positive ones.
      let (tens, tooLarge) = value.multipliedReportingOverflow(by: 10)
      let (next, stillTooLarge) = tens.subtractingReportingOverflow(Int64(place.pointee &- .zero))
      if tooLarge || stillTooLarge { return nil }
      value = next
      place += 1
    }
    if isNegative {
      self = value
    } else {
      guard value != .min else { return nil }
      self = -value
    }
  }
}

extension Double {
  /// The nearest real to a valid JSON number; infinite when it is too large.
  init(numberFrom first: UnsafePointer<UInt8>, to last: UnsafePointer<UInt8>) {
    // Swift's conversion is exact and, unlike strtod, knows no locale.
    let text = String(decoding: UnsafeBufferPointer(start: first, count: last - first), as: UTF8.self)
    self = Double(text) ?? .infinity
  }
}
