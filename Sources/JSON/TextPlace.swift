/// A line and a column of a text, both from 1; the column counts Unicode characters.
package struct TextPlace: Sendable, Hashable, CustomStringConvertible {
  package let line: Int
  package let column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// The place of a byte offset.
  package init(of byte: Int, in text: UnsafeBufferPointer<UInt8>) {
    var line = 1
    var column = 1
    for byte in text[..<byte] {
      if byte == .newline {
        line += 1
        column = 1
      } else if !byte.isContinuation {
        column += 1
      }
    }
    self.init(line: line, column: column)
  }

  package var description: String { "\(line):\(column)" }
}
