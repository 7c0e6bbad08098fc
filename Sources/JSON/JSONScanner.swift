/// Checks texts without building anything, and says where the parts of the top level are.
///
/// What it accepts is what `JSONValue(parsing:)` accepts. Nothing is allocated unless the text is wrong.
package struct JSONScanner: Sendable {
  /// A member of a text's object, as offsets in bytes from the text's beginning.
  package struct Member: Sendable, Hashable {
    /// The key as it is written, without its quotes.
    package let key: Range<Int>
    /// Whether the key is written with a backslash somewhere, so that its bytes aren't its characters.
    package let keyHasEscapes: Bool
    package let value: Range<Int>

    /// Whether this is the member of a name, however it is written; `text` is where it was found.
    package func isNamed(_ name: StaticString, in text: UnsafeBufferPointer<UInt8>) -> Bool {
      guard keyHasEscapes else {
        return key.count == name.utf8CodeUnitCount
          && text[key].elementsEqual(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
      }
      let quoted = UnsafeBufferPointer(rebasing: text[key.lowerBound - 1..<key.upperBound + 1])
      return JSONValue(scanned: quoted).string == name.description
    }
  }

  private let maxDepth: Int
  private let acceptsLargeIntegers: Bool

  /// - Parameter options: `duplicateKeys` plays no part here: each member is reported.
  package init(_ options: JSONParsingOptions = .init()) {
    self.maxDepth = options.maxDepth
    self.acceptsLargeIntegers = options.largeIntegers == .asReal
  }

  /// Checks that the bytes are exactly one JSON text in UTF-8.
  package func validate(_ text: UnsafeBufferPointer<UInt8>) throws(JSONSyntaxError) {
    try scan(text) { scan, first throws(ScanFailure) in try scan.value(first, depth: 0) }
  }

  /// Checks a text, and reports each member of its object.
  ///
  /// Members are reported while the scan goes on; what was reported is void when it throws.
  /// - Returns: whether the text is an object; another value is checked all the same.
  @discardableResult
  package func members(
    of text: UnsafeBufferPointer<UInt8>, _ body: (Member) -> Void
  ) throws(JSONSyntaxError) -> Bool {
    var isObject = false
    try scan(text) { scan, first throws(ScanFailure) in
      guard first.pointee == .openBrace else { return try scan.value(first, depth: 0) }
      isObject = true
      return try Self.object(scan, first, depth: 0, body)
    }
    return isObject
  }

  /// Checks a text, and reports where each element of its array is; an element may be any value.
  ///
  /// Elements are reported while the scan goes on; what was reported is void when it throws.
  /// - Returns: whether the text is an array; another value is checked all the same.
  @discardableResult
  package func elements(
    of text: UnsafeBufferPointer<UInt8>, _ body: (Range<Int>) -> Void
  ) throws(JSONSyntaxError) -> Bool {
    var isArray = false
    try scan(text) { scan, first throws(ScanFailure) in
      guard first.pointee == .openBracket else { return try scan.value(first, depth: 0) }
      isArray = true
      return try scan.array(first, depth: 0) { place throws(ScanFailure) in
        let end = try scan.value(place, depth: 1)
        body(Range(uncheckedBounds: (place - scan.start, end - scan.start)))
        return end
      }
    }
    return isArray
  }

  /// Checks a text, and reports each element of its array, those that are objects with their members: these come before
  /// their object.
  ///
  /// What was reported is void when it throws.
  /// - Returns: whether the text is an array; another value is checked all the same.
  @discardableResult
  package func elements(
    of text: UnsafeBufferPointer<UInt8>, member: (Member) -> Void, element: (Range<Int>) -> Void
  ) throws(JSONSyntaxError) -> Bool {
    var isArray = false
    try scan(text) { scan, first throws(ScanFailure) in
      guard first.pointee == .openBracket else { return try scan.value(first, depth: 0) }
      isArray = true
      return try scan.array(first, depth: 0) { place throws(ScanFailure) in
        let isObject = place < scan.end && place.pointee == .openBrace
        let end = isObject ? try Self.object(scan, place, depth: 1, member) : try scan.value(place, depth: 1)
        element(Range(uncheckedBounds: (place - scan.start, end - scan.start)))
        return end
      }
    }
    return isArray
  }

  @inline(__always)
  private static func object(
    _ scan: TextScan, _ open: TextScan.Place, depth: Int, _ body: (Member) -> Void
  ) throws(ScanFailure) -> TextScan.Place {
    try scan.object(open, depth: depth) { key, keyEnd, hasEscapes, value, valueEnd in
      let start = scan.start
      body(
        Member(
          key: Range(uncheckedBounds: (key - start, keyEnd - start)), keyHasEscapes: hasEscapes,
          value: Range(uncheckedBounds: (value - start, valueEnd - start))))
    }
  }

  @inline(__always)
  private func scan(
    _ text: UnsafeBufferPointer<UInt8>,
    _ body: (TextScan, TextScan.Place) throws(ScanFailure) -> TextScan.Place
  ) throws(JSONSyntaxError) {
    do throws(ScanFailure) {
      guard let scan = TextScan(text, maxDepth: maxDepth, acceptsLargeIntegers: acceptsLargeIntegers) else {
        throw ScanFailure(byte: 0, reason: .emptyText)
      }
      try scan.finish(body(scan, scan.first()))
    } catch {
      throw JSONSyntaxError(error, of: text)
    }
  }
}
