package import JSON

/// Writes responses and notifications by hand around values that are JSON text already, or become it here.
///
/// Each function appends one message without its frame; ``frame(_:from:in:)`` puts the frame around it.
package enum MessageWriter {
  /// Begins a response; the result's text and ``end(_:)`` follow.
  @inline(__always)
  package static func beginResult(id: UnsafeBufferPointer<UInt8>, in output: inout [UInt8]) {
    output.append(literal: #"{"jsonrpc":"2.0","id":"#)
    output.append(contentsOf: id)
    output.append(literal: #","result":"#)
  }

  @inline(__always)
  package static func end(_ output: inout [UInt8]) { output.append(UInt8(ascii: "}")) }

  package static func error(_ error: RPCError, id: UnsafeBufferPointer<UInt8>?, in output: inout [UInt8]) {
    output.append(literal: #"{"jsonrpc":"2.0","id":"#)
    if let id { output.append(contentsOf: id) } else { output.append(literal: "null") }
    output.append(literal: #","error":"#)
    error.json.write(into: &output)
    output.append(UInt8(ascii: "}"))
  }

  /// A notification; `params` writes its params, or nothing is written for them without.
  package static func notification(
    _ method: String, in output: inout [UInt8], params: (inout [UInt8]) -> Void
  ) {
    output.append(literal: #"{"jsonrpc":"2.0","method":"#)
    JSONValue(method).write(into: &output)
    output.append(literal: #","params":"#)
    params(&output)
    output.append(UInt8(ascii: "}"))
  }

  /// A request with an id of our own.
  package static func request(_ method: String, id: Int, params: JSONValue?, in output: inout [UInt8]) {
    output.append(literal: #"{"jsonrpc":"2.0","id":"#)
    output.append(contentsOf: String(id).utf8)
    output.append(literal: #","method":"#)
    JSONValue(method).write(into: &output)
    if let params {
      output.append(literal: #","params":"#)
      params.write(into: &output)
    }
    output.append(UInt8(ascii: "}"))
  }

  /// Puts the frame around the message that begins at `start` and ends the output.
  @inline(__always)
  package static func frame(_ framing: Framing, from start: Int, in output: inout [UInt8]) {
    switch framing {
    case .newline: output.append(0x0A)
    case .contentLength:
      output.insert(contentsOf: "Content-Length: \(output.count - start)\r\n\r\n".utf8, at: start)
    }
  }
}

extension [UInt8] {
  @inline(__always)
  package mutating func append(literal text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
