internal import JSON
internal import Timing

/// `limits` of ringi.json.
enum LimitSettings {
  private struct Count: Sendable {
    let name: String
    let limit: any WritableKeyPath<Limits, Int> & Sendable
    let range: ClosedRange<Int64>
    let summary: String

    init(
      _ name: String, _ limit: any WritableKeyPath<Limits, Int> & Sendable, _ range: ClosedRange<Int64>,
      _ summary: String
    ) {
      (self.name, self.limit, self.range, self.summary) = (name, limit, range, summary)
    }
  }

  private static let counts = [
    Count("messageBytes", \.messageBytes, 64...(1 << 30), "The longest message, in bytes."),
    Count("depth", \.depth, 2...1024, "The deepest nesting of a message."),
    Count("batch", \.batch, 1...100_000, "The most elements of a batch."),
    Count("inFlight", \.inFlight, 1...100_000, "The most requests of one connection without an answer yet."),
    Count("connections", \.connections, 1...1_000_000, "The most connections of all listeners together."),
    Count(
      "outboxBytes", \.outboxBytes, 1024...(1 << 30),
      "The most bytes that wait for one client before events are dropped for it."),
  ]

  static let schema = Schema.object(
    properties: counts.map { count in
      (count.name, .integer(count.summary, count.range).default(JSONValue(Limits()[keyPath: count.limit])))
    } + [
      (
        "requestTimeout",
        .duration("The most time that an answer may take.")
          .default(JSONValue(DurationText.format(Limits().requestTimeout)))
      )
    ]
  ).described("What one client may ask of the agent.")

  static func read(_ file: inout ConfigurationFile) -> Limits {
    var limits = Limits()
    for count in counts {
      if let value = file.value["limits"]?[count.name]?.int { limits[keyPath: count.limit] = Int(value) }
    }
    let place = JSONPointer(tokens: ["limits", "requestTimeout"])
    limits.requestTimeout = file.positiveDuration(at: place) ?? limits.requestTimeout
    return limits
  }
}
