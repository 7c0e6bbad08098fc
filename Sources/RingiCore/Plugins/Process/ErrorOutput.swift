internal import EventLoop

/// What a plugin's program writes to its standard error, for the log: lines of bounded length, and not too many.
@Loop
final class ErrorOutput {
  /// The longest line that is shown, in bytes.
  nonisolated static let shown = 2 << 10
  /// Twice as much is kept, since a line gets shorter when secrets are taken out.
  private var lines = LineReader(limit: 2 * shown)
  private let redactor: Redactor
  private let write: @Loop (String) -> Void
  /// The last line that was not empty.
  private(set) var last: String?

  /// Makes a reader of one program's output.
  ///
  /// - Parameters:
  ///   - redactor: Takes secrets out of a line.
  ///   - write: Takes each line.
  init(_ redactor: Redactor, write: @escaping @Loop (String) -> Void) {
    (self.redactor, self.write) = (redactor, write)
  }

  func take(_ bytes: UnsafeRawBufferPointer) {
    for line in lines.take(bytes) { take(line.text, isCut: line.isCut) }
    if bytes.isEmpty, let rest = lines.finish() { take(rest, isCut: false) }
  }

  private func take(_ bytes: [UInt8], isCut: Bool) {
    guard bytes.contains(where: { $0 > 0x20 }) else { return }
    let line = redactor.excerpt(of: bytes, isCut: isCut, bytes: Self.shown)
    last = line
    write(line)
  }
}
