internal import EventLoop
internal import JSON
internal import JSONRPC

/// A request that is being worked on.
@Loop
final class InFlight {
  /// `nil` for a notification.
  let id: RequestID?
  let method: String
  let isMutation: Bool
  let batch: Batch?
  /// The length of its params, which is held in memory meanwhile.
  let bytes: Int
  var task: Task<Void, any Error>?
  var alarm: Alarm?
  /// Whether the client was answered, so that what still comes is dropped.
  var isAnswered = false

  init(id: RequestID?, method: String, isMutation: Bool, batch: Batch?, bytes: Int) {
    self.id = id
    self.method = method
    self.isMutation = isMutation
    self.batch = batch
    self.bytes = bytes
  }
}

/// The responses of one batch, which go out together once the last of them is there.
@Loop
final class Batch {
  var responses: [UInt8] = []
  var waiting = 0
}
