import EventLoop
import JSON
import JSONRPC
import RingiCore
import RingiModel
import RingiTestSupport
import Testing

@Suite struct EventBusTests {
  @Loop private static func bus(keeping events: Int64 = 1_000_000) throws -> EventBus {
    try EventBus.inMemory(clock: TestClock(), events: events)
  }

  private static func drafts(_ count: Int, size: Int = 0) -> [EventDraft] {
    let data: JSONValue = ["padding": JSONValue(String(repeating: "x", count: size))]
    return (0..<count).map { _ in EventDraft(EventType("x.one"), data: data) }
  }

  @Test func eventsAreNumberedFromOneWithoutGaps() async throws {
    try await onLoop {
      let bus = try Self.bus()
      let first = try await bus.publish(Self.drafts(3))
      let second = try await bus.publish(Self.drafts(2))
      #expect((first + second).map(\.sequence) == [1, 2, 3, 4, 5])
      #expect(Set((first + second).map(\.id)).count == 5)
      #expect((first + second).map(\.id) == (first + second).map(\.id).sorted())
      #expect(bus.log.lastSequence == 5)
    }
  }

  @Test func theSourceNamesTheHostAndTheInstance() async throws {
    try await onLoop {
      let events = try await Self.bus().publish([
        EventDraft(.taskReady, instance: "sap", subject: "sap/1"), EventDraft(EventType("x.one")),
      ])
      #expect(events.map(\.source) == ["ringi://host.example/sap", "ringi://host.example/agent"])
      #expect(events.map(\.subject) == ["sap/1", nil])
    }
  }

  @Test func aChainOfCausesIsCutBehindTheEighth() async throws {
    try await onLoop {
      let bus = try Self.bus()
      let causes = (1...9).map { "01\($0)" }
      try await bus.publish([EventDraft(EventType("x.one"), causes: Array(causes.prefix(8)))])
      let error = await #expect(throws: RPCError.self) {
        try await bus.publish(Self.drafts(1) + [EventDraft(EventType("x.loop"), causes: causes)])
      }
      #expect(error?.kind == "conflict")
      #expect(error?.message.contains("x.loop") == true)
      // Nothing of what came with it either.
      #expect(bus.log.lastSequence == 1)
    }
  }

  // MARK: What is kept

  @Test func onlySoManyEventsAreKept() async throws {
    try await onLoop {
      let bus = try Self.bus(keeping: 100)
      for _ in 0..<50 { try await bus.publish(Self.drafts(100)) }
      #expect(bus.log.count == 100)
      #expect(bus.log.firstSequence == 4901)
      #expect(bus.log.records(after: 4990).map(\.event.sequence) == Array(4991...5000))
      #expect(bus.log.records(after: 5000).isEmpty)
      #expect(bus.log.records(after: .max).isEmpty)
    }
  }

  @Test func whatMemoryNoLongerHoldsIsReadFromTheStore() async throws {
    try await onLoop {
      let bus = try Self.bus()
      for _ in 0..<50 { try await bus.publish(Self.drafts(100)) }
      #expect(bus.log.recent(after: 0) == nil)
      let page = try await bus.log.records(after: 10, limit: 3)
      #expect(page.records.map(\.event.sequence) == [11, 12, 13])
      #expect(page.through == 13)
      let rest = try await bus.log.records(after: 4998, limit: 10)
      #expect(rest.records.map(\.event.sequence) == [4999, 5000])
      #expect(rest.through == 5000)
    }
  }

  @Test func aPageOfLargeEventsEndsEarlyAndTheNextOneGoesOn() async throws {
    try await onLoop {
      let bus = try Self.bus()
      try await bus.publish(Self.drafts(12, size: 1 << 20))
      var (since, sequences): (Int64, [Int64]) = (0, [])
      var pages = 0
      while since < bus.log.lastSequence {
        let page = try await bus.log.records(after: since, limit: 1000)
        sequences += page.records.map(\.event.sequence)
        since = page.through
        pages += 1
      }
      #expect(pages == 2)
      #expect(sequences == Array(1...12))
    }
  }

  @Test func anEmptyLogBeginsWithTheNextEvent() async throws {
    try await onLoop {
      let log = try Self.bus().log
      #expect(log.firstSequence == 1)
      #expect(log.lastSequence == 0)
      #expect(log.records(after: 0).isEmpty)
    }
  }
}
