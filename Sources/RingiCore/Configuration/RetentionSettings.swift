internal import JSON
internal import Timing

/// `retention` of ringi.json.
enum RetentionSettings {
  static let schema = Schema.object(
    "How long events are kept.",
    [
      "events": .integer("The most events.", 1...1_000_000_000).default(JSONValue(Store.Retention().events)),
      "age": .duration("Their greatest age.").default(JSONValue(DurationText.format(Store.Retention().age))),
    ])

  static func read(_ file: inout ConfigurationFile) -> Store.Retention {
    var retention = Store.Retention()
    retention.events = file.value["retention"]?["events"]?.int ?? retention.events
    retention.age = file.positiveDuration(at: JSONPointer(tokens: ["retention", "age"])) ?? retention.age
    return retention
  }
}
