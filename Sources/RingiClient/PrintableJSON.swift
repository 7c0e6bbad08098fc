internal import JSON
internal import Text

/// JSON that is safe to show on a terminal and means the same.
enum PrintableJSON {
  /// Writes a value with every character escaped that would act on a terminal: JSON itself escapes only the C0
  /// controls, so DEL, the C1 controls and the bidirectional overrides are left to do.
  static func text(of value: JSONValue, pretty: Bool) -> String {
    var bytes: [UInt8] = []
    value.write(into: &bytes, pretty: pretty)
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.unicodeScalars.contains(where: needsEscape) else { return text }
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if needsEscape(scalar) {
        escaped.append(contentsOf: escape(scalar).unicodeScalars)
      } else {
        escaped.append(scalar)
      }
    }
    return String(escaped)
  }

  // Controls below 0x20 stand in JSON text only between its tokens, as line breaks. All that act lie in the first
  // plane, and so fit one escape.
  private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x7F && acts(scalar)
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
