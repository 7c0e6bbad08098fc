internal import Glibc
package import JSON

/// A request or notification inside a message: where its members are, with nothing copied and nothing built.
///
/// - SeeAlso: JSON-RPC 2.0, section 4.
package struct Request: Sendable {
  /// The id as it is written; `nil` for a notification.
  package private(set) var id: Range<Int>?
  /// The method's name, without its quotes.
  package private(set) var method = 0..<0
  /// Whether the name is written with escapes, so that its bytes aren't its characters.
  package private(set) var methodHasEscapes = false
  /// The params as they are written: an object or an array; `nil` without.
  package private(set) var params: Range<Int>?

  /// Why an object is no request.
  package struct Invalid: Error, Sendable {
    /// The id to answer with; `nil` where none can be told.
    package let id: Range<Int>?
    package let message: String
  }

  private var version: Range<Int>?
  private var methodValue: Range<Int>?

  /// Reads one JSON text.
  ///
  /// - Parameters:
  ///   - text: The bytes of one message, or of one element of a batch.
  ///   - scanner: What checks the text.
  /// - Returns: The request, or why it is none.
  /// - Throws: `JSONSyntaxError` when the bytes are no JSON text.
  package static func read(
    _ text: UnsafeBufferPointer<UInt8>, _ scanner: JSONScanner
  ) throws(JSONSyntaxError) -> Result<Request, Invalid> {
    var request = Request()
    let isObject = try scanner.members(of: text) { request.take($0, in: text) }
    guard isObject else {
      return .failure(Invalid(id: nil, message: "A request is an object; send {\"jsonrpc\":\"2.0\",\"method\":…}."))
    }
    if let problem = request.check(text) {
      return .failure(Invalid(id: request.usableID(in: text), message: problem))
    }
    return .success(request)
  }

  private mutating func take(_ member: JSONScanner.Member, in text: UnsafeBufferPointer<UInt8>) {
    if member.keyHasEscapes { return takeEscaped(member, in: text) }
    switch member.key.count {
    case 2 where text.has("id", at: member.key): id = member.value
    case 6 where text.has("method", at: member.key): methodValue = member.value
    case 6 where text.has("params", at: member.key): params = member.value
    case 7 where text.has("jsonrpc", at: member.key): version = member.value
    default: break
    }
  }

  private mutating func takeEscaped(_ member: JSONScanner.Member, in text: UnsafeBufferPointer<UInt8>) {
    switch string(member.key.lowerBound - 1..<member.key.upperBound + 1, in: text) {
    case "id": id = member.value
    case "method": methodValue = member.value
    case "params": params = member.value
    case "jsonrpc": version = member.value
    default: break
    }
  }

  /// The characters of a string, given with its quotes.
  private func string(_ quoted: Range<Int>, in text: UnsafeBufferPointer<UInt8>) -> String? {
    (try? JSONValue(parsing: Array(text[quoted])))?.string
  }

  private mutating func check(_ text: UnsafeBufferPointer<UInt8>) -> String? {
    guard let version, text.has("\"2.0\"", at: version) || string(version, in: text) == "2.0" else {
      return "The member jsonrpc is not \"2.0\"; this is JSON-RPC 2.0."
    }
    if let id, !Self.isID(text[id.lowerBound]) { return "The id is neither a string, a number nor null." }
    guard let methodValue, text[methodValue.lowerBound] == UInt8(ascii: "\"") else {
      return "The member method is not a string; name the method to call."
    }
    method = methodValue.lowerBound + 1..<methodValue.upperBound - 1
    methodHasEscapes = text[method].contains(UInt8(ascii: "\\"))
    if let params, !Self.isStructured(text[params.lowerBound]) {
      // Emacs's jsonrpc library sends null for no params.
      guard text.has("null", at: params) else { return "The params are neither an object nor an array." }
      self.params = nil
    }
    return nil
  }

  private func usableID(in text: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    id.flatMap { Self.isID(text[$0.lowerBound]) ? $0 : nil }
  }

  private static func isID(_ first: UInt8) -> Bool {
    switch first {
    case UInt8(ascii: "\""), UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "n"): true
    default: false
    }
  }

  private static func isStructured(_ first: UInt8) -> Bool {
    first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Moves the positions, for a request that was read from a part of a longer text.
  package func shifted(by offset: Int) -> Request {
    var request = self
    request.id = id.map { $0.lowerBound + offset..<$0.upperBound + offset }
    request.method = method.lowerBound + offset..<method.upperBound + offset
    request.params = params.map { $0.lowerBound + offset..<$0.upperBound + offset }
    return request
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether a range holds just these bytes.
  @inline(__always)
  func has(_ text: StaticString, at range: Range<Int>) -> Bool {
    guard let baseAddress, range.count == text.utf8CodeUnitCount else { return false }
    return memcmp(baseAddress + range.lowerBound, text.utf8Start, range.count) == 0
  }
}
