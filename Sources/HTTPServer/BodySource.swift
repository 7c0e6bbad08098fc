internal import CMicroHTTPD
import Glibc

/// Feeds a response's body to libmicrohttpd: at its pace, and up to the cut.
final class BodySource: Sendable {
  private let body: [UInt8]
  private let bytesPerSecond: Int?
  private let cutAfter: Int?
  /// The connection to reset at the cut, if it is to be.
  private let socketToReset: CInt?
  private let stop: StopSignal?

  init(_ response: ServerResponse, on socket: CInt, stop: StopSignal) {
    body = response.body
    bytesPerSecond = response.delivery.bytesPerSecond
    cutAfter = response.delivery.cutAfter
    socketToReset = response.delivery.cutsByReset ? socket : nil
    self.stop = stop
  }

  /// Feeds all of `body` as fast as it is taken, so that no thread ever waits.
  init(_ body: [UInt8]) {
    self.body = body
    (bytesPerSecond, cutAfter, socketToReset, stop) = (nil, nil, nil, nil)
  }

  /// Copies the next bytes to `buffer`; with a pace it waits, on the connection's own thread.
  ///
  /// - Returns: how many, or libmicrohttpd's code for a broken connection.
  func read(at position: UInt64, into buffer: UnsafeMutablePointer<CChar>, capacity: Int) -> Int {
    let start = min(Int(position), body.count)
    var end = min(start + capacity, body.count)
    if let cutAfter {
      guard start < cutAfter else {
        if let socketToReset { reset(socketToReset) }
        return ringi_mhd_broken_off()
      }
      end = min(end, cutAfter)
    }
    if let bytesPerSecond {
      guard stop?.wait(.milliseconds(100)) ?? true else { return ringi_mhd_broken_off() }
      end = min(end, start + max(1, bytesPerSecond / 10))
    }
    body[start..<end].withUnsafeBytes { bytes in
      guard let first = bytes.baseAddress else { return }
      memcpy(buffer, first, bytes.count)
    }
    return end - start
  }
}
