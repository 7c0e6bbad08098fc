package import EventLoop
package import RingiCore
internal import RingiKit

extension EventBus {
  /// A bus over a store that ends with the process.
  ///
  /// - Parameters:
  ///   - clock: Time.
  ///   - events: The most events that are kept.
  ///   - redactor: Takes secrets out.
  /// - Returns: The bus.
  /// - Throws: What keeps the store from being made.
  package static func inMemory(
    clock: any LoopClock, events: Int64 = 1_000_000, redactor: Redactor = Redactor()
  ) throws -> EventBus {
    let log = Log(level: .error, clock: clock, redactor: redactor)
    let store = try Store(inMemoryFor: clock, log: log)
    store.retention.events = events
    return EventBus(store: store, clock: clock, host: "host.example", redactor: redactor)
  }
}

extension EventLog {
  /// The records after a sequence, as far as memory holds them.
  package func records(after sequence: Int64) -> [EventRecord] {
    recent(after: sequence)?.compactMap(\.self) ?? []
  }
}
