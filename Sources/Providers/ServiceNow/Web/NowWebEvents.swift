internal import RingiKit

/// What pages tell the agent's clients, and not too often.
@Loop
final class NowWebEvents {
  static let failed = EventType("navigation-failed")
  static let renewed = EventType("session-renewed")
  static let unsupported = EventType("unsupported-url")

  /// So many of a type in a minute.
  private static let limit = 10

  private let context: ProviderContext
  private var minute = Int64.min
  private var counts: [EventType: Int] = [:]

  init(_ context: ProviderContext) { self.context = context }

  /// Publishes an event, without waiting.
  ///
  /// - Parameters:
  ///   - type: Which.
  ///   - page: The page's name.
  ///   - members: What the event says of it.
  func publish(_ type: EventType, page: NowWebPage, _ members: KeyValuePairs<String, String>) {
    let now = context.clock.uptime / 60_000_000_000
    if now != minute { (minute, counts) = (now, [:]) }
    counts[type, default: 0] += 1
    guard counts[type, default: 0] <= Self.limit else {
      if counts[type] == Self.limit + 1 { context.log(.warning, "more \(type) events in this minute are left out") }
      return
    }
    let data = JSONValue(
      object: [("page", JSONValue(page.id))] + members.map { ($0.key, JSONValue(String($0.value.prefix(2048)))) })
    let context = context
    Loop.task {
      do {
        _ = try await context.publish(EventDraft(type, subject: page.id, data: data))
      } catch {
        context.log(.warning, "\(type) could not be published: \(error)")
      }
    }
  }
}
