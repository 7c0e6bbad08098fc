public import JSON
public import Timing

/// Something that happened, in a CloudEvents 1.0 envelope with a place in the agent's log.
public struct Event: Equatable, Sendable {
  /// Unique with `source`; a ULID, so that ids sort by time.
  public let id: String
  /// `ringi://HOST/INSTANCE`.
  public let source: String
  public let type: EventType
  public let time: Timestamp
  /// What it is about: a task's id, mostly.
  public let subject: String?
  /// The place in the log, from 1, without gaps.
  public let sequence: Int64
  public let data: JSONValue
  /// The ids of the events that led to this one, oldest first; empty for what came from outside.
  public let causes: [String]

  public init(
    id: String, source: String, type: EventType, time: Timestamp, subject: String?, sequence: Int64,
    data: JSONValue, causes: [String] = []
  ) {
    self.id = id
    self.source = source
    self.type = type
    self.time = time
    self.subject = subject
    self.sequence = sequence
    self.data = data
    self.causes = causes
  }

  /// The envelope, with CloudEvents' member names.
  public var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("specversion", "1.0"), ("id", JSONValue(id)), ("source", JSONValue(source)), ("type", JSONValue(type.rawValue)),
      ("time", JSONValue(time.rfc3339)),
    ]
    if let subject { members.append(("subject", JSONValue(subject))) }
    members.append(("sequence", JSONValue(sequence)))
    // An attribute of CloudEvents holds no array.
    if !causes.isEmpty { members.append(("causes", JSONValue(causes.joined(separator: " ")))) }
    members.append(("datacontenttype", "application/json"))
    members.append(("data", data))
    return JSONValue(object: members)
  }
}
