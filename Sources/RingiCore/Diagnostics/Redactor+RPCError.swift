internal import EventLoop
package import JSONRPC

extension Redactor {
  /// The error with each form of each secret replaced, in its message and its data.
  package func redact(_ error: RPCError) -> RPCError {
    var error = error
    error.message = redact(error.message)
    error.details = error.details.mapValues { redact($0) }
    return error
  }
}
