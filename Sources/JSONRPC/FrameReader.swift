internal import Glibc

/// Finds the messages in a byte stream: a pure state machine that holds no bytes itself.
///
/// The framing is detected from the first byte that isn't white space or a byte-order mark.
package struct FrameReader: Sendable {
  /// What the bytes at hand begin with.
  package enum Step: Equatable, Sendable {
    /// A message at `body`; what follows begins at `next`.
    case frame(body: Range<Int>, next: Int)
    /// A message longer than allowed begins; its bytes are skipped as they come.
    case tooLong(next: Int)
    /// Nothing but bytes to drop, up to `next`.
    case skip(next: Int)
    /// No whole message yet.
    case more
  }

  /// The most bytes of headers before a message.
  package static let maxHeaderBytes = 8192

  package private(set) var framing: Framing?
  private let maxMessageBytes: Int
  /// How much of an unfinished line was searched already.
  private var searched = 0
  /// Bytes of a message over the limit that are still to come; `.max` while its end isn't known.
  private var skipping = 0

  package init(maxMessageBytes: Int) { self.maxMessageBytes = maxMessageBytes }

  /// Looks at what begins at the front of `bytes`.
  ///
  /// - Parameter bytes: What has come and wasn't consumed yet.
  /// - Returns: What to do; positions count from the front of `bytes`.
  /// - Throws: ``FramingError`` when there is no way to find the next message.
  package mutating func step(_ bytes: UnsafeBufferPointer<UInt8>) throws(FramingError) -> Step {
    if skipping > 0 { return skip(bytes) }
    if framing == nil {
      let start = leadingBlanks(bytes)
      guard start < bytes.count else { return start == 0 ? .more : .skip(next: start) }
      if bytes[start] == 0xEF, bytes.count - start < 3 { return .more }
      framing = (bytes[start] | 0x20) == UInt8(ascii: "c") ? .contentLength : .newline
      if start > 0 { return .skip(next: start) }
    }
    return framing == .newline ? line(bytes) : try headers(bytes)
  }

  /// The last message of a stream that has ended, when it lacks its newline.
  package func remainder(_ bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    guard skipping == 0, framing == .newline, leadingBlanks(bytes) < bytes.count else { return nil }
    return 0..<bytes.count
  }

  // MARK: Parts

  /// The length of the white space, and of one byte-order mark, at the front.
  private func leadingBlanks(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var index = 0
    if framing == nil, bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { index = 3 }
    while index < bytes.count, isBlank(bytes[index]) { index += 1 }
    return index
  }

  private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private mutating func line(_ bytes: UnsafeBufferPointer<UInt8>) -> Step {
    guard let end = bytes.firstIndex(of: 0x0A, from: searched) else {
      searched = bytes.count
      guard bytes.count > maxMessageBytes else { return .more }
      skipping = .max
      searched = 0
      return .tooLong(next: bytes.count)
    }
    searched = 0
    if end > maxMessageBytes { return .tooLong(next: end + 1) }
    let start = leadingBlanks(UnsafeBufferPointer(rebasing: bytes[..<end]))
    return start == end ? .skip(next: end + 1) : .frame(body: start..<end, next: end + 1)
  }

  private mutating func headers(_ bytes: UnsafeBufferPointer<UInt8>) throws(FramingError) -> Step {
    let blanks = leadingBlanks(bytes)
    if blanks > 0 { return .skip(next: blanks) }
    guard let end = endOfHeaders(bytes) else {
      if bytes.count > Self.maxHeaderBytes {
        throw FramingError(message: "the headers are over \(Self.maxHeaderBytes) bytes")
      }
      return .more
    }
    let length = try contentLength(UnsafeBufferPointer(rebasing: bytes[..<end]))
    guard length <= maxMessageBytes else {
      skipping = length
      return .tooLong(next: end)
    }
    return bytes.count - end < length ? .more : .frame(body: end..<end + length, next: end + length)
  }

  /// Where the blank line after the headers ends; a bare newline is taken for the end of a line too.
  private func endOfHeaders(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    var start = 0
    while let end = bytes.firstIndex(of: 0x0A, from: start) {
      if end == start || (end == start + 1 && bytes[start] == 0x0D) { return end + 1 }
      if end > Self.maxHeaderBytes { return nil }
      start = end + 1
    }
    return nil
  }

  private func contentLength(_ headers: UnsafeBufferPointer<UInt8>) throws(FramingError) -> Int {
    var length: Int?
    var start = 0
    while let end = headers.firstIndex(of: 0x0A, from: start) {
      let line = UnsafeBufferPointer(rebasing: headers[start..<end])
      start = end + 1
      guard let value = try contentLength(ofLine: line) else { continue }
      if let length, length != value { throw FramingError(message: "two headers give different Content-Length") }
      length = value
    }
    guard let length else { throw FramingError(message: "the headers lack Content-Length") }
    return length
  }

  /// The value when the line is that header; header names are read without regard to case.
  private func contentLength(ofLine line: UnsafeBufferPointer<UInt8>) throws(FramingError) -> Int? {
    let name: StaticString = "content-length:"
    let count = name.utf8CodeUnitCount
    guard line.count >= count, (0..<count).allSatisfy({ line[$0] | 0x20 == name.utf8Start[$0] | 0x20 }) else {
      return nil
    }
    return try number(line[count...])
  }

  /// A number of bytes with blanks around it; one beyond every counter is the largest there is.
  private func number(_ text: Slice<UnsafeBufferPointer<UInt8>>) throws(FramingError) -> Int {
    var value = 0
    var digits = text.drop(while: isBlank)
    while let last = digits.last, isBlank(last) { digits.removeLast() }
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      let got = digits.isEmpty ? "nothing" : "\"\(String(decoding: digits.prefix(48), as: UTF8.self))\""
      throw FramingError(message: "Content-Length takes a number of bytes, got \(got)")
    }
    for digit in digits {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(Int(digit - 0x30))
      if overflow || carry { return .max }
      value = sum
    }
    return value
  }

  private mutating func skip(_ bytes: UnsafeBufferPointer<UInt8>) -> Step {
    guard !bytes.isEmpty else { return .more }
    if framing == .newline {
      guard let end = bytes.firstIndex(of: 0x0A, from: 0) else { return .skip(next: bytes.count) }
      skipping = 0
      return .skip(next: end + 1)
    }
    let count = min(skipping, bytes.count)
    skipping -= count
    return .skip(next: count)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// `memchr(3)` from a position on.
  func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    guard let baseAddress, start < count,
      let found = memchr(baseAddress + start, CInt(byte), count - start)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(baseAddress)
  }
}
