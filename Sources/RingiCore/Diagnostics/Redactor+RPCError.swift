internal import EventLoop
internal import JSON
package import JSONRPC

extension Redactor {
  /// The error with each form of each secret replaced, in its message and its data, and the message cut to
  /// ``maxMessageBytes``.
  package func redact(_ error: RPCError) -> RPCError {
    var error = error
    error.message = excerpt(error.message, bytes: Self.maxMessageBytes)
    error.details = Dictionary(error.details.map { (redact($0.key), redact($0.value)) }) { $1 }
    return error
  }
}
