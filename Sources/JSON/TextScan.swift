/// One pass over a text by the rules of RFC 8259, strict as jansson is (with any value at the top, and `\u0000` in
/// strings but not in keys).
///
/// Each function takes the place where something begins and returns the place after it, so that the place stays in a
/// register; none allocates.
struct TextScan {
  typealias Place = UnsafePointer<UInt8>

  let start: Place
  let end: Place
  let maxDepth: Int
  let acceptsLargeIntegers: Bool

  /// - Returns: nil for a text of no bytes.
  init?(_ text: UnsafeBufferPointer<UInt8>, maxDepth: Int, acceptsLargeIntegers: Bool) {
    guard let start = text.baseAddress, !text.isEmpty else { return nil }
    self.start = start
    self.end = start + text.count
    self.maxDepth = min(maxDepth, JSONParsingOptions.depthLimit)
    self.acceptsLargeIntegers = acceptsLargeIntegers
  }

  @inline(never)
  func failure(_ reason: ScanFailure.Reason, at place: Place) -> ScanFailure {
    // A place at the end is a text that was cut, whatever was expected there.
    let isCut = place >= end && reason != .emptyText
    return ScanFailure(byte: place - start, reason: isCut ? .unexpectedEnd : reason)
  }

  /// The first place that is no white space.
  @inline(__always)
  func skipSpace(_ place: Place) -> Place {
    var place = place
    while place < end, place.pointee.isJSONSpace { place += 1 }
    return place
  }

  /// Where the text's one value begins.
  @inline(__always)
  func first() throws(ScanFailure) -> Place {
    let place = skipSpace(start)
    guard place < end else { throw failure(.emptyText, at: place) }
    return place
  }

  /// Sees to it that nothing follows the text's value.
  @inline(__always)
  func finish(_ place: Place) throws(ScanFailure) {
    let place = skipSpace(place)
    guard place >= end else { throw failure(.trailingText, at: place) }
  }

  /// A value of any kind, inside `depth` arrays and objects.
  func value(_ place: Place, depth: Int) throws(ScanFailure) -> Place {
    guard place < end else { throw failure(.expectedValue, at: place) }
    switch place.pointee {
    case .quote: return try string(place, isKey: false).end
    case .openBrace: return try object(place, depth: depth) { _, _, _, _, _ in }
    case .openBracket:
      return try array(place, depth: depth) { place throws(ScanFailure) in try value(place, depth: depth + 1) }
    case UInt8(ascii: "t"): return try literal(place, "true")
    case UInt8(ascii: "f"): return try literal(place, "false")
    case UInt8(ascii: "n"): return try literal(place, "null")
    case .minus, UInt8(ascii: "0")...UInt8(ascii: "9"): return try number(place)
    default: throw failure(.expectedValue, at: place)
    }
  }

  /// An object; tells the places of each key (between its quotes), whether it has escapes, and of each value.
  @inline(__always)
  func object(
    _ open: Place, depth: Int, _ member: (Place, Place, Bool, Place, Place) -> Void
  ) throws(ScanFailure) -> Place {
    guard depth < maxDepth else { throw failure(.tooDeep, at: open) }
    var place = skipSpace(open + 1)
    if place < end, place.pointee == .closeBrace { return place + 1 }
    while true {
      guard place < end, place.pointee == .quote else { throw failure(.expectedKey, at: place) }
      let key = place + 1
      let (afterKey, hasEscapes) = try string(place, isKey: true)
      place = skipSpace(afterKey)
      guard place < end, place.pointee == .colon else { throw failure(.expectedColon, at: place) }
      let value = skipSpace(place + 1)
      let afterValue = try self.value(value, depth: depth + 1)
      member(key, afterKey - 1, hasEscapes, value, afterValue)
      place = skipSpace(afterValue)
      guard place < end else { throw failure(.expectedCommaOrBrace, at: place) }
      if place.pointee == .closeBrace { return place + 1 }
      guard place.pointee == .comma else { throw failure(.expectedCommaOrBrace, at: place) }
      place = skipSpace(place + 1)
    }
  }

  /// An array; `element` takes the place where an element begins and returns the place after it.
  @inline(__always)
  func array(
    _ open: Place, depth: Int, _ element: (Place) throws(ScanFailure) -> Place
  ) throws(ScanFailure) -> Place {
    guard depth < maxDepth else { throw failure(.tooDeep, at: open) }
    var place = skipSpace(open + 1)
    if place < end, place.pointee == .closeBracket { return place + 1 }
    while true {
      place = skipSpace(try element(place))
      guard place < end else { throw failure(.expectedCommaOrBracket, at: place) }
      if place.pointee == .closeBracket { return place + 1 }
      guard place.pointee == .comma else { throw failure(.expectedCommaOrBracket, at: place) }
      place = skipSpace(place + 1)
    }
  }

  @inline(__always)
  private func literal(_ place: Place, _ word: StaticString) throws(ScanFailure) -> Place {
    let count = word.utf8CodeUnitCount
    for index in 0..<count {
      guard place + index < end else { throw failure(.unexpectedEnd, at: end) }
      guard place[index] == word.utf8Start[index] else { throw failure(.unknownLiteral, at: place) }
    }
    return place + count
  }
}
