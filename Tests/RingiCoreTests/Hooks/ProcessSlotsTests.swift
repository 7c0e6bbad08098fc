import EventLoop
import RingiTestSupport
import Testing

@testable import RingiCore

@Suite struct ProcessSlotsTests {
  @Test func placesGoRoundAmongThoseWhoWait() async throws {
    try await onLoop {
      let slots = ProcessSlots(limit: 1)
      try await slots.acquire(for: "first")
      var order: [String] = []
      let waiters = ["a", "a", "a", "b", "c", "b"].map { name in
        Loop.task {
          try await slots.acquire(for: name)
          order.append(name)
          slots.release()
        }
      }
      for _ in 0..<20 { await Task.yield() }
      #expect(order.isEmpty)
      slots.release()
      for waiter in waiters { try await waiter.value }
      #expect(order == ["a", "b", "c", "a", "b", "a"])
      #expect(slots.used == 0)
    }
  }

  @Test func whoGivesUpTakesNoPlaceAlong() async throws {
    try await onLoop {
      let slots = ProcessSlots(limit: 1)
      try await slots.acquire(for: "first")
      let waiters = (0..<3).map { _ in Loop.task { try await slots.acquire(for: "a") } }
      for _ in 0..<20 { await Task.yield() }
      waiters[0].cancel()
      // The place goes to one whose cancellation is on its way, and from there to the next.
      slots.release()
      await #expect(throws: CancellationError.self) { try await waiters[0].value }
      try await waiters[1].value
      slots.release()
      try await waiters[2].value
      slots.release()
      #expect(slots.used == 0)
    }
  }
}
