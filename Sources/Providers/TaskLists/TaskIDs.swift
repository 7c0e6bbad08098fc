internal import RingiKit

extension Schema {
  /// A task's id, as the backend or the agent writes it.
  static let taskID = Schema.anyOf([
    .string("The task's id, with or without the instance's name before it.", minLength: 1), .integer(),
  ])
}

extension JSONValue {
  /// The backend's own id of a task that params name: without the instance before it and the occurrence after it.
  func taskID(of instance: String) -> String {
    let text = self["id"]?.string ?? self["id"]?.int.map { String($0) } ?? ""
    return TaskKey(text.hasPrefix("\(instance)/") ? String(text.dropFirst(instance.count + 1)) : text).id
  }
}

/// A text that nobody else sends (RFC 9562, version 4).
enum RandomID {
  static func make() -> String {
    var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return [digits[0..<4], digits[4..<6], digits[6..<8], digits[8..<10], digits[10..<16]].map { $0.joined() }
      .joined(separator: "-")
  }
}
