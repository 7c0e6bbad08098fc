/// A pattern over names in which `*` stands for any run of characters, and all else for itself.
package struct Glob: Hashable, Sendable, CustomStringConvertible {
  package let description: String
  private let pattern: [UInt8]

  package init(_ pattern: String) {
    description = pattern
    self.pattern = Array(pattern.utf8)
  }

  package func matches(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { matches($0) }
  }

  /// Greedy matching with one place to come back to, so that no pattern takes more than length × length steps.
  package func matches(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    var (p, n) = (0, 0)
    var back: (pattern: Int, name: Int)?
    while n < name.count {
      if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
        back = (p + 1, n)
        p += 1
      } else if p < pattern.count, pattern[p] == name[n] {
        p += 1
        n += 1
      } else if let place = back {
        back = (place.pattern, place.name + 1)
        (p, n) = (place.pattern, place.name + 1)
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
