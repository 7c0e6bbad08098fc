/// A text is not JSON, and where it stops being JSON.
public struct JSONSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The line, from 1.
  public let line: Int
  /// The column in Unicode characters, from 1.
  public let column: Int
  /// The offset in bytes, from 0.
  public let byte: Int
  /// What is wrong there, without the place.
  public let message: String

  public var description: String { "line \(line), column \(column): \(message)" }

  /// An error at an offset of a text; the line and column are counted here.
  package init(_ message: String, at byte: Int, of text: UnsafeBufferPointer<UInt8>) {
    let place = TextPlace(of: byte, in: text)
    self.line = place.line
    self.column = place.column
    self.byte = byte
    self.message = message
  }

  init(_ failure: ScanFailure, of text: UnsafeBufferPointer<UInt8>) {
    let found =
      if failure.byte < text.count {
        Self.name(of: text, at: failure.byte)
      } else {
        "the end of the text"
      }
    self.init(failure.reason.message(found: found), at: failure.byte, of: text)
  }

  /// The character at an offset, in a form that can be printed anywhere.
  private static func name(of text: UnsafeBufferPointer<UInt8>, at byte: Int) -> String {
    let rest = text[byte..<min(byte + 4, text.count)]
    guard let scalar = String(decoding: rest, as: UTF8.self).unicodeScalars.first, scalar != "\u{FFFD}" else {
      return "byte 0x" + hex(UInt32(text[byte]), digits: 2)
    }
    // Controls, format characters and the like would disturb a terminal or a log.
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
      return "U+" + hex(scalar.value, digits: 4)
    default:
      return "'\(scalar)'"
    }
  }

  private static func hex(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
