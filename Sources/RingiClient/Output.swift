internal import Glibc
internal import JSON
internal import Text

/// Standard output or standard error: lines collected, and written when flushed.
package final class Output {
  /// What the lines are written to: the number of a descriptor, or a test's own function.
  package enum Sink {
    case descriptor(Int32)
    case function(([UInt8]) -> Void)
  }

  package let isTerminal: Bool
  /// The columns of the terminal; nil where nothing is ever cut.
  package let columns: Int?
  /// Whether colours are sent.
  package var isColored = false
  private let sink: Sink
  private var bytes: [UInt8] = []

  /// - Parameters:
  ///   - sink: Where the bytes go.
  ///   - columns: The width of the terminal; nil when it is none.
  package init(_ sink: Sink, columns: Int?) {
    self.sink = sink
    self.columns = columns
    isTerminal = columns != nil
  }

  /// Adds a line made of pieces.
  func line(_ pieces: Styled...) { line(pieces) }

  /// Adds a line made of pieces.
  func line(_ pieces: [Styled]) {
    for piece in pieces { bytes.append(contentsOf: piece.rendered(colored: isColored).utf8) }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Adds a text that may be long: on a terminal it is broken at words, and its lines begin at the same column.
  ///
  /// - Parameters:
  ///   - lead: What stands before it.
  ///   - text: The text.
  ///   - column: Where the text begins; nil for right after `lead`.
  func line(_ lead: Styled, hanging text: Styled, at column: Int? = nil) {
    let hanging = HangingText(text.text, after: lead.text, at: column, columns: columns)
    let margin = Styled(padded("", to: hanging.indent))
    var pieces = [lead.replacingText { _ in hanging.lead }]
    for (index, part) in hanging.lines.enumerated() {
      if index > 0 || hanging.isBelow {
        line(pieces)
        pieces = [margin]
      }
      pieces.append(text.replacingText { _ in part })
    }
    line(pieces)
  }

  /// Adds a paragraph of our own, which in a pipe keeps the line breaks that it was written with.
  func paragraph(_ text: String) {
    let lines = text.split(separator: "\n")
    for line in columns == nil ? lines : [lines.joined(separator: " ")[...]] {
      self.line("", hanging: Styled(String(line)))
    }
  }

  /// Adds a text that is known to be harmless as it is, and ends it with a line break unless told otherwise.
  func text(_ text: String, endsLine: Bool = true) {
    bytes.append(contentsOf: text.utf8)
    if endsLine, text.utf8.last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
  }

  /// Adds a table, fitted to the terminal.
  func table(_ table: Table) {
    for line in table.lines(columns: columns) { self.line(line) }
  }

  /// Adds a JSON value: over several lines on a terminal, else in one.
  func json(_ value: JSONValue) {
    text(PrintableJSON.text(of: value, pretty: isTerminal))
  }

  /// Adds a JSON value in one line.
  func jsonLine(_ value: JSONValue) {
    text(PrintableJSON.text(of: value, pretty: false))
  }

  /// The descriptor that is written to, if it is one.
  var descriptor: Int32? {
    if case .descriptor(let descriptor) = sink { descriptor } else { nil }
  }

  /// Writes what was collected.
  ///
  /// - Throws: `Failure` with `.output` when it cannot be written: a full disk, a closed pipe.
  func flush() throws(Failure) {
    defer { bytes.removeAll(keepingCapacity: true) }
    switch sink {
    case .function(let write): if !bytes.isEmpty { write(bytes) }
    case .descriptor(let descriptor): try writeAll(to: descriptor)
    }
  }

  private func writeAll(to descriptor: Int32) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        // Whoever gave us this descriptor made it non-blocking.
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = Glibc.poll(&poll, 1, -1)
      } else if errno != EINTR {
        throw Failure(.output, "The output could not be written: \(SystemMessage.text(errno)).")
      }
    }
  }
}
