/// Reads a short text from left to right; each method takes what it matches, or takes nothing and says so.
struct ByteScanner {
  private var rest: ArraySlice<UInt8>

  init(_ text: some StringProtocol) {
    rest = ArraySlice(text.utf8)
  }

  /// How many bytes were taken.
  var position: Int { rest.startIndex }
  var isAtEnd: Bool { rest.isEmpty }
  var next: UInt8? { rest.first }

  mutating func take(_ byte: Character) -> Bool {
    guard let value = byte.asciiValue, rest.first == value else { return false }
    rest.removeFirst()
    return true
  }

  mutating func take(_ word: String) -> Bool {
    guard rest.starts(with: word.utf8) else { return false }
    rest.removeFirst(word.utf8.count)
    return true
  }

  /// Takes the first of `words` that is here, and gives its index.
  mutating func take(oneOf words: [String]) -> Int? {
    for (index, word) in words.enumerated() where take(word) { return index }
    return nil
  }

  /// Takes the bytes at the front that satisfy `condition`.
  mutating func take(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let taken = rest.prefix(while: condition)
    rest.removeFirst(taken.count)
    return taken
  }

  /// Takes a number of exactly `count` digits that lies in `range`.
  mutating func number(digits count: Int, in range: ClosedRange<Int>) -> Int? {
    number(digits: count...count, in: range)
  }

  /// Takes a number of at most `count` digits that lies in `range`.
  mutating func number(upTo count: Int, in range: ClosedRange<Int>) -> Int? {
    number(digits: 1...count, in: range)
  }

  private mutating func number(digits counts: ClosedRange<Int>, in range: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix(counts.upperBound).prefix(while: Self.isDigit)
    guard counts.contains(digits.count) else { return nil }
    let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    guard range.contains(value) else { return nil }
    rest.removeFirst(digits.count)
    return value
  }

  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
