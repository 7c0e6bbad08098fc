internal import EventLoop
internal import RingiKit

/// What a plugin's program writes to its standard error, for the log: lines of bounded length, and not too many.
@Loop
final class ErrorOutput {
  /// The longest line that is shown, in bytes.
  nonisolated static let shown = 2 << 10
  /// Twice as much is kept: secrets are taken out before a line is cut, and half of one is never shown.
  private var lines = LineReader(limit: 2 * shown)
  private let redact: @Loop (String) -> String
  private let write: @Loop (String) -> Void
  /// The last line that was not empty.
  private(set) var last: String?

  /// Makes a reader of one program's output.
  ///
  /// - Parameters:
  ///   - redact: Takes secrets out of a line.
  ///   - write: Takes each line.
  init(redact: @escaping @Loop (String) -> String, write: @escaping @Loop (String) -> Void) {
    (self.redact, self.write) = (redact, write)
  }

  func take(_ bytes: UnsafeRawBufferPointer) {
    for line in lines.take(bytes) { take(line.text, isCut: line.isCut) }
    if bytes.isEmpty, let rest = lines.finish() { take(rest, isCut: false) }
  }

  private func take(_ bytes: [UInt8], isCut: Bool) {
    guard bytes.contains(where: { $0 > 0x20 }) else { return }
    let text = redact(String(decoding: bytes, as: UTF8.self))
    let line = text.prefix(bytes: Self.shown)
    last = isCut || line.utf8.count < text.utf8.count ? "\(line)…" : line
    if let last { write(last) }
  }
}
