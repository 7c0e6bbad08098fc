/// Finds where in a text the parts of its value are written, so that a complaint can name a line and a column.
package struct JSONLocator: Sendable {
  /// Which end of a member a complaint is about.
  package enum Part: Sendable {
    case key, value
  }

  private let text: [UInt8]

  /// - Parameter text: a text that was parsed, with `maxDepth` as it may be at most.
  package init(_ text: [UInt8]) { self.text = text }

  /// The place of what a pointer leads to.
  ///
  /// Where there is no such thing it is the place of the nearest value around it. An element has no key; its value
  /// counts then.
  package func place(of pointer: JSONPointer, _ part: Part = .value) -> TextPlace {
    text.withUnsafeBufferPointer { text in
      var value = 0..<text.count
      var start = text.firstIndex { !$0.isJSONSpace } ?? 0
      for (index, token) in pointer.tokens.enumerated() {
        guard let (key, inner) = Self.child(token, of: value, in: text) else { break }
        let isLast = index == pointer.tokens.count - 1
        start = part == .key && isLast ? key ?? inner.lowerBound : inner.lowerBound
        value = inner
      }
      return TextPlace(of: start, in: text)
    }
  }

  /// The member or the element that a token names in the value at a range: where its key and its value are.
  private static func child(
    _ token: String, of range: Range<Int>, in text: UnsafeBufferPointer<UInt8>
  ) -> (key: Int?, value: Range<Int>)? {
    let scanner = JSONScanner(.init(maxDepth: JSONParsingOptions.depthLimit, largeIntegers: .asReal))
    let part = UnsafeBufferPointer(rebasing: text[range])
    let base = range.lowerBound
    var found: (key: Int?, value: Range<Int>)?
    func shifted(_ range: Range<Int>) -> Range<Int> { range.lowerBound + base..<range.upperBound + base }
    // A text that was parsed scans without errors, and in another there is nothing to find.
    let isObject = try? scanner.members(of: part) { member in
      let key = UnsafeBufferPointer(rebasing: part[member.key])
      let matches = member.keyHasEscapes ? key.unescaped().elementsEqual(token.utf8) : key.elementsEqual(token.utf8)
      if matches { found = (shifted(member.key).lowerBound - 1, shifted(member.value)) }
    }
    if isObject == false, let index = JSONPointer.index(token) {
      var count = 0
      _ = try? scanner.elements(of: part) { element in
        if count == index { found = (nil, shifted(element)) }
        count += 1
      }
    }
    return found
  }
}
