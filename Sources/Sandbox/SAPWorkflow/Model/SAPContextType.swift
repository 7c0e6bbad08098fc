internal import JSON
internal import Timing

/// The type of a member of a workflow's context.
package enum SAPContextType: String, Sendable, CaseIterable {
  case string, number, boolean, date, object, array

  func accepts(_ value: JSONValue) -> Bool {
    switch self {
    case .string: value.kind == .string
    case .number: value.kind == .integer || value.kind == .real
    case .boolean: value.kind == .bool
    case .date: value.string.map(Self.isDate) ?? false
    case .object: value.kind == .object
    case .array: value.kind == .array
    }
  }

  /// `YYYY-MM-DD` and nothing else.
  private static func isDate(_ text: String) -> Bool {
    text.utf8.count == 10 && Timestamp(rfc3339: text + "T00:00:00Z") != nil
  }
}
