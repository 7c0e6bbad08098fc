internal import RingiKit

/// What is to be written into a record: texts alone, as the service has all values.
struct ServiceNowValues {
  let body: JSONValue
  private let texts: [(name: String, text: String)]

  /// Fields whose texts go into a journal, and which read as empty.
  private static let journals = ["comments", "work_notes"]

  /// - Throws: `RPCError` (invalid-params) for nothing at all, and for what is no scalar.
  init(_ values: JSONValue?) throws(RPCError) {
    var texts: [(name: String, text: String)] = []
    for (name, value) in (values ?? .emptyObject).object.map(Array.init) ?? [] {
      guard let text = Self.text(value) else {
        throw .invalidParams(
          "values.\(name) got \(value.kind.rawValue), but takes a text, a number, a boolean or null.")
      }
      texts.append((name, text))
    }
    guard !texts.isEmpty else { throw .invalidParams("values got nothing to write.") }
    self.texts = texts
    body = JSONValue(object: texts.map { ($0.name, JSONValue($0.text)) })
  }

  private static func text(_ value: JSONValue) -> String? {
    switch value.kind {
    case .null: ""
    case .string: value.string
    case .bool, .integer, .real: value.description
    case .array, .object: nil
    }
  }

  /// Whether a record that is read again can show them.
  var canShow: Bool { texts.contains { !Self.journals.contains($0.name) } }

  /// The fields that a record has otherwise: the service drops without a word what the login may not write.
  func differing(from record: JSONValue) -> [String] {
    texts.filter { !Self.journals.contains($0.name) && record[$0.name]?.fieldValue != $0.text }.map(\.name)
  }
}
