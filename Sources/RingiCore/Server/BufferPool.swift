internal import EventLoop

/// A few empty buffers with room, so that a busy connection allocates nothing and an idle one holds nothing.
@Loop
enum BufferPool {
  private static var buffers: [[UInt8]] = []
  private static let maxBuffers = 256
  private static let maxCapacity = 256 << 10

  static func take() -> [UInt8] {
    if let buffer = buffers.popLast() { return buffer }
    var buffer: [UInt8] = []
    buffer.reserveCapacity(960)
    return buffer
  }

  /// Leaves an empty array without storage behind.
  static func give(_ buffer: inout [UInt8]) {
    var returned: [UInt8] = []
    swap(&returned, &buffer)
    guard returned.capacity > 0, returned.capacity <= maxCapacity, buffers.count < maxBuffers else { return }
    returned.removeAll(keepingCapacity: true)
    buffers.append(returned)
  }
}
