internal import EventLoop

/// The beginning and the end of what a hook's program wrote.
///
/// Twice as much is kept as is shown, since a text gets shorter when secrets are taken out. The part of one that stands
/// at an inner edge is taken out too.
@Loop
final class OutputExcerpt {
  /// The most bytes shown of each end.
  nonisolated static let shown = 2 << 10
  private static let kept = 2 * shown

  private var head: [UInt8] = []
  private var tail: [UInt8] = []
  private var total = 0

  func append(_ bytes: UnsafeRawBufferPointer) {
    total += bytes.count
    let room = min(bytes.count, Self.kept - head.count)
    head.append(contentsOf: bytes[..<room])
    tail.append(contentsOf: bytes[room...].suffix(Self.kept))
    if tail.count > 2 * Self.kept { tail.removeFirst(tail.count - Self.kept) }
  }

  /// The text without secrets and without white space at its ends.
  func text(_ redactor: Redactor) -> String {
    if total <= head.count + tail.count {
      let whole = redactor.redact(head + tail, cut: []).trimmed
      guard whole.utf8.count > 2 * Self.shown else { return whole }
      return joined(whole, whole, omitted: whole.utf8.count - 2 * Self.shown)
    }
    let first = redactor.redact(head, cut: .back)
    let last = redactor.redact(Array(tail.suffix(Self.kept)), cut: .front)
    return joined(first, last, omitted: total - 2 * Self.shown)
  }

  private func joined(_ first: String, _ last: String, omitted: Int) -> String {
    "\(first.prefix(bytes: Self.shown))\n… \(omitted) bytes left out …\n\(last.suffix(bytes: Self.shown))".trimmed
  }
}

extension String {
  /// Without white space at both ends.
  fileprivate var trimmed: String {
    let isBlank = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
    let start = unicodeScalars.drop(while: isBlank)
    guard let last = start.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(start[...last])
  }
}
