internal import EventLoop

/// The settled deliveries of one hook: all that failed and the newest that arrived, as far as the bounds allow.
@Loop
final class DeliveryHistory {
  /// The most that is kept of each kind, and the most bytes of events that failed deliveries hold.
  struct Bounds: Sendable {
    var failed = 1000
    var delivered = 100
    var bytes = 8 << 20
  }

  private let bounds: Bounds
  private(set) var failed: [Delivery] = []
  private(set) var delivered: [Delivery] = []
  private var bytes = 0
  /// Failed deliveries that had to go.
  private(set) var dropped = 0

  init(bounds: Bounds = Bounds()) { self.bounds = bounds }

  func add(_ delivery: Delivery) {
    guard delivery.state == .failed else {
      delivered.append(delivery)
      if delivered.count > bounds.delivered { delivered.removeFirst() }
      return
    }
    failed.append(delivery)
    bytes += delivery.size
    while failed.count > bounds.failed || (bytes > bounds.bytes && failed.count > 1) {
      bytes -= failed.removeFirst().size
      dropped += 1
    }
  }

  /// Takes failed deliveries out, to be tried again.
  ///
  /// - Parameter isWanted: Which ones.
  /// - Returns: What was taken, in the order of the events.
  func takeFailed(_ isWanted: (Delivery) -> Bool) -> [Delivery] {
    let taken = failed.filter(isWanted)
    failed.removeAll(where: isWanted)
    bytes -= taken.reduce(0) { $0 + $1.size }
    return taken.sorted { $0.sequence < $1.sequence }
  }
}

extension Delivery {
  fileprivate var size: Int { record?.size ?? 0 }
}
