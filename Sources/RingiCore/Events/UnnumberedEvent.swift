internal import JSON
internal import RingiModel
internal import Timing

/// An event that has everything but its place in the log, which the store gives it when it is recorded.
struct UnnumberedEvent: Sendable {
  let id: String
  let source: String
  let type: EventType
  let time: Timestamp
  let subject: String?
  let data: JSONValue
  let causes: [String]

  func numbered(_ sequence: Int64) -> EventRecord {
    EventRecord(
      Event(
        id: id, source: source, type: type, time: time, subject: subject, sequence: sequence, data: data, causes: causes
      ))
  }
}
