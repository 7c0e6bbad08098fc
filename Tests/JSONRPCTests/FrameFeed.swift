import JSONRPC

/// Feeds a reader the way a connection does: what isn't consumed waits in a buffer for more.
struct FrameFeed {
  enum Found: Equatable {
    case message(String)
    case tooLong
  }

  private(set) var reader: FrameReader
  /// The most bytes that waited at once.
  private(set) var mostHeld = 0
  private var buffer: [UInt8] = []

  init(maxMessageBytes: Int = 1 << 20) { reader = FrameReader(maxMessageBytes: maxMessageBytes) }

  /// What the bytes complete.
  mutating func feed(_ bytes: some Sequence<UInt8>) throws(FramingError) -> [Found] {
    buffer += bytes
    var found: [Found] = []
    var position = 0
    loop: while position < buffer.count {
      switch try step(from: position) {
      case .frame(let body, let next):
        let message = buffer[position + body.lowerBound..<position + body.upperBound]
        found.append(.message(String(decoding: message, as: UTF8.self)))
        position += next
      case .tooLong(let next):
        found.append(.tooLong)
        position += next
      case .skip(let next): position += next
      case .more: break loop
      }
    }
    buffer.removeFirst(position)
    mostHeld = max(mostHeld, buffer.count)
    return found
  }

  mutating func feed(_ text: String) throws(FramingError) -> [Found] { try feed(text.utf8) }

  /// What the end of the stream completes.
  func end() -> String? {
    buffer.withUnsafeBufferPointer { bytes in
      reader.remainder(bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
    }
  }

  private mutating func step(from position: Int) throws(FramingError) -> FrameReader.Step {
    let result = buffer[position...].withUnsafeBufferPointer { bytes -> Result<FrameReader.Step, FramingError> in
      do throws(FramingError) { return .success(try reader.step(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
