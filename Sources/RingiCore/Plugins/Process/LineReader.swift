internal import Glibc

/// Cuts a byte stream into lines, and holds no more of an endless one than its limit.
struct LineReader {
  private let limit: Int
  private var rest: [UInt8] = []
  /// Whether the end of a line that was too long is still to come.
  private var isSkipping = false

  /// Makes a reader.
  ///
  /// - Parameter limit: The longest line, in bytes; of a longer one the beginning is handed out and the rest dropped.
  init(limit: Int) { self.limit = limit }

  /// Takes in what has come.
  ///
  /// - Parameter bytes: Any part of the stream.
  /// - Returns: The lines that are whole now, without their newlines, and the beginning of one that got too long.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> [(text: [UInt8], isCut: Bool)] {
    var lines: [(text: [UInt8], isCut: Bool)] = []
    var start = 0
    while start < bytes.count {
      let end = Self.newline(in: bytes, from: start)
      if !isSkipping {
        // What goes on in the next read is not copied for it then.
        if end == nil, rest.isEmpty { rest.reserveCapacity(2 * (bytes.count - start)) }
        append(UnsafeRawBufferPointer(rebasing: bytes[start..<(end ?? bytes.count)]), to: &lines)
      }
      guard let end else { break }
      if !isSkipping { lines.append((takeRest(), false)) }
      isSkipping = false
      start = end + 1
    }
    return lines
  }

  /// The last line of a stream that has ended, where it lacks its newline.
  mutating func finish() -> [UInt8]? { rest.isEmpty ? nil : takeRest() }

  private static func newline(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard let base = bytes.baseAddress, let place = memchr(base + start, 0x0A, bytes.count - start) else { return nil }
    return UnsafeRawPointer(place) - base
  }

  private mutating func append(_ part: UnsafeRawBufferPointer, to lines: inout [(text: [UInt8], isCut: Bool)]) {
    rest.append(contentsOf: UnsafeRawBufferPointer(rebasing: part.prefix(limit - rest.count + 1)))
    guard rest.count > limit else { return }
    rest.removeLast()
    lines.append((takeRest(), true))
    isSkipping = true
  }

  private mutating func takeRest() -> [UInt8] {
    defer { rest = [] }
    return rest
  }
}
