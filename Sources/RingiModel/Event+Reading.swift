public import JSON
internal import Timing

extension Event {
  /// Reads an event as ``json`` writes it.
  ///
  /// - Parameter json: The envelope.
  /// - Throws: ``RecordError``.
  public init(json: JSONValue) throws(RecordError) {
    func text(_ member: String) throws(RecordError) -> String {
      guard let text = json[member]?.string else { throw RecordError(member: member) }
      return text
    }
    guard let time = Timestamp(rfc3339: try text("time")) else { throw RecordError(member: "time") }
    guard let sequence = json["sequence"]?.int else { throw RecordError(member: "sequence") }
    self.init(
      id: try text("id"), source: try text("source"), type: EventType(try text("type")), time: time,
      subject: json["subject"]?.string, sequence: sequence, data: json["data"] ?? .null,
      causes: json["causes"]?.string?.split(separator: " ").map(String.init) ?? [])
  }
}
