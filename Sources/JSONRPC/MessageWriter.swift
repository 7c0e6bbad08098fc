internal import Glibc
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
    beginRequest(method, id: id, in: &output)
    if let params {
      output.append(literal: #","params":"#)
      params.write(into: &output)
    }
    output.append(UInt8(ascii: "}"))
  }

  /// A request with an id of our own, whose params `params` writes.
  package static func request(_ method: String, id: Int, in output: inout [UInt8], params: (inout [UInt8]) -> Void) {
    beginRequest(method, id: id, in: &output)
    output.append(literal: #","params":"#)
    params(&output)
    output.append(UInt8(ascii: "}"))
  }

  private static func beginRequest(_ method: String, id: Int, in output: inout [UInt8]) {
    output.append(literal: #"{"jsonrpc":"2.0","id":"#)
    output.append(contentsOf: String(id).utf8)
    output.append(literal: #","method":"#)
    JSONValue(method).write(into: &output)
  }

  /// Puts the frame around the message that begins at `start` and ends the output.
  @inline(__always)
  package static func frame(_ framing: Framing, from start: Int, in output: inout [UInt8]) {
    switch framing {
    case .newline: output.append(0x0A)
    case .contentLength: putHeader(at: start, in: &output)
    }
  }

  /// Moves the message back by the length of its header, which is known only once the message is.
  private static func putHeader(at start: Int, in output: inout [UInt8]) {
    let length = output.count - start
    var digits = 1
    var rest = length / 10
    while rest > 0 {
      digits += 1
      rest /= 10
    }
    let name: StaticString = "Content-Length: "
    let header = name.utf8CodeUnitCount + digits + 4
    output.append(contentsOf: repeatElement(0, count: header))
    output.withUnsafeMutableBufferPointer { bytes in
      guard let front = bytes.baseAddress?.advanced(by: start) else { return }
      memmove(front + header, front, length)
      memcpy(front, name.utf8Start, name.utf8CodeUnitCount)
      var value = length
      for index in stride(from: name.utf8CodeUnitCount + digits - 1, to: name.utf8CodeUnitCount - 1, by: -1) {
        front[index] = UInt8(ascii: "0") + UInt8(value % 10)
        value /= 10
      }
      memcpy(front + header - 4, ("\r\n\r\n" as StaticString).utf8Start, 4)
    }
  }
}

extension [UInt8] {
  @inline(__always)
  package mutating func append(literal text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
