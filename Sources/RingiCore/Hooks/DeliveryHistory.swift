internal import EventLoop
internal import Timing

/// The settled deliveries of one hook: all that failed and the newest that arrived, as far as the bounds allow.
@Loop
final class DeliveryHistory {
  /// The most that is kept of each kind, the most bytes of events that failed deliveries hold, and their greatest age.
  struct Bounds: Sendable {
    var failed = 1000
    var delivered = 100
    var bytes = 8 << 20
    var age: Duration = .seconds(30 * 86_400)
  }

  private let bounds: Bounds
  private(set) var failed: [Delivery] = []
  private(set) var delivered: [Delivery] = []
  private var bytes = 0
  /// Failed deliveries that had to go.
  private(set) var dropped: Int
  /// Those of them that the store still has.
  private var droppedSequences: [Int64] = []

  init(bounds: Bounds = Bounds(), dropped: Int = 0) {
    self.bounds = bounds
    self.dropped = dropped
  }

  func add(_ delivery: Delivery) {
    guard delivery.state == .failed else {
      delivered.append(delivery)
      if delivered.count > bounds.delivered { delivered.removeFirst() }
      return
    }
    failed.append(delivery)
    bytes += delivery.size
    while failed.count > bounds.failed || (bytes > bounds.bytes && failed.count > 1) { drop(failed.removeFirst()) }
  }

  /// Drops failed deliveries that are too old.
  func dropOld(at now: Timestamp) {
    failed.removeAll { delivery in
      guard let time = delivery.finishedAt, time + bounds.age < now else { return false }
      drop(delivery)
      return true
    }
  }

  private func drop(_ delivery: Delivery) {
    bytes -= delivery.size
    dropped += 1
    droppedSequences.append(delivery.sequence)
  }

  /// What was dropped since this was asked last.
  func takeDropped() -> [Int64] {
    defer { droppedSequences = [] }
    return droppedSequences
  }

  /// Takes failed deliveries out.
  ///
  /// - Parameter isWanted: Which ones.
  /// - Returns: What was taken, in the order of the events.
  func takeFailed(_ isWanted: (Delivery) -> Bool) -> [Delivery] {
    let taken = failed.filter(isWanted)
    failed.removeAll(where: isWanted)
    bytes -= taken.reduce(0) { $0 + $1.size }
    if failed.isEmpty { dropped = 0 }
    return taken.sorted { $0.sequence < $1.sequence }
  }

  /// The bound that is near, with four fifths of it used; `nil` while there is room.
  func nearBound(at now: Timestamp) -> String? {
    if failed.count * 5 >= bounds.failed * 4 { return "\(failed.count) of at most \(bounds.failed)" }
    if bytes * 5 >= bounds.bytes * 4 { return "\(bytes >> 10) of at most \(bounds.bytes >> 10) KiB" }
    guard let oldest = failed.compactMap(\.finishedAt).min(), oldest + bounds.age / 5 * 4 <= now else { return nil }
    return "some for almost \(DurationText.format(bounds.age)), the most"
  }
}

extension Delivery {
  fileprivate var size: Int { record?.size ?? 0 }
}
