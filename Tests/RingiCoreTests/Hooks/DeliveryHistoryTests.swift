import EventLoop
import JSON
import RingiModel
import RingiTestSupport
import Testing
import Timing

@testable import RingiCore

@Suite struct DeliveryHistoryTests {
  @Test func eachKindHasItsBound() async throws {
    try await onLoop {
      let history = DeliveryHistory(bounds: .init(failed: 3, delivered: 2, bytes: 1 << 20))
      for sequence in 1...5 {
        history.add(delivery(sequence, .failed))
        history.add(delivery(10 + sequence, .delivered))
      }
      #expect(history.failed.map(\.sequence) == [3, 4, 5])
      #expect(history.delivered.map(\.sequence) == [14, 15])
      #expect(history.dropped == 2)
    }
  }

  @Test func failedDeliveriesHoldNoMoreBytesThanAllowed() async throws {
    try await onLoop {
      let history = DeliveryHistory(bounds: .init(failed: 100, delivered: 2, bytes: 50_000))
      for sequence in 1...10 { history.add(delivery(sequence, .failed, bytes: 20_000)) }
      #expect(history.failed.map(\.sequence) == [9, 10])
      #expect(history.takeFailed { _ in true }.count == 2)
      for sequence in 11...12 { history.add(delivery(sequence, .failed, bytes: 20_000)) }
      #expect(history.failed.map(\.sequence) == [11, 12])
      // One that is too big by itself is kept while it is the only one.
      history.add(delivery(13, .failed, bytes: 90_000))
      #expect(history.failed.map(\.sequence) == [13])
    }
  }

  @Loop private func delivery(_ sequence: Int, _ state: Delivery.State, bytes: Int = 0) -> Delivery {
    let event = Event(
      id: "e", source: "s", type: EventType("x"), time: Timestamp(milliseconds: 0), subject: nil,
      sequence: Int64(sequence),
      data: JSONValue(String(repeating: "x", count: bytes)))
    let delivery = Delivery(hook: "h", record: EventRecord(event))
    delivery.settle(state, at: Timestamp(milliseconds: 0))
    return delivery
  }
}
