internal import EventLoop
internal import JSONRPC
internal import RingiKit

/// The one place where a thrown error becomes the error a client sees.
func rpcError(_ error: any Error) -> RPCError {
  switch error {
  case let error as RPCError: error
  case is CancellationError: .cancelled()
  case let error as TimeoutError: .unavailable("It took longer than \(error.limit); try again.")
  case let error as UnclearOutcome: .outcomeUnknown(error.cause.message, details: error.cause.details)
  default:
    .internalError("The agent failed in a way it did not expect (\(error)); this is a fault in it or in a plugin.")
  }
}
