/// One JSON text that was found valid, kept as the bytes it came in.
///
/// What passes through without being looked into (an echo, the params of a plugin's call) stays as it was written, and
/// costs neither a parse nor a write.
public struct JSONText: Sendable, CustomStringConvertible {
  public let utf8: [UInt8]

  /// Keeps a text after checking it.
  /// - Throws: `JSONSyntaxError` as `JSONValue(parsing:)` does; duplicate keys are not looked for.
  public init(validating utf8: [UInt8], options: JSONParsingOptions = .init()) throws(JSONSyntaxError) {
    try utf8.withUnsafeBufferPointer { text throws(JSONSyntaxError) in try JSONScanner(options).validate(text) }
    self.utf8 = utf8
  }

  /// Keeps a part of a text that a `JSONScanner` has accepted: a member's value or an element.
  package init(scanned utf8: some Sequence<UInt8>) { self.utf8 = Array(utf8) }

  /// Keeps a text that `body` puts together from texts that are known to be valid.
  package init(written body: (inout [UInt8]) -> Void) {
    var text: [UInt8] = []
    body(&text)
    utf8 = text
  }

  public init(_ value: JSONValue) { self.utf8 = value.utf8 }

  public func write(into output: inout [UInt8]) { output.append(contentsOf: utf8) }

  public var description: String { String(decoding: utf8, as: UTF8.self) }
}
