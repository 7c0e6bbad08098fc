internal import EventLoop
internal import JSON
package import JSONRPC

extension Redactor {
  /// The most that one member of an error's data may have; a whole task fits.
  private static let maxDetailBytes = 256 << 10

  /// The error with each form of each secret replaced, in its message and its data, and its texts cut to
  /// ``maxMessageBytes``: what a backend says goes into events and logs.
  package func redact(_ error: RPCError) -> RPCError {
    var error = error
    error.message = excerpt(error.message, bytes: Self.maxMessageBytes)
    error.details = Dictionary(error.details.map { (redact($0.key), bounded($0.value)) }) { $1 }
    return error
  }

  private func bounded(_ detail: JSONValue) -> JSONValue {
    if let text = detail.string { return JSONValue(excerpt(text, bytes: Self.maxMessageBytes)) }
    let size = detail.utf8.count
    guard size > Self.maxDetailBytes else { return redact(detail) }
    return JSONValue("left out: \(size) bytes")
  }
}
