package import EventLoop
internal import JSON
internal import JSONRPC
package import RingiKit
internal import RingiModel

/// One client: its requests in, its responses and notifications out.
@Loop
package final class Session: ByteStreamDelegate, CallClient {
  /// Longer names, escapes included, are not even looked at.
  static let longestName = 1024
  /// Output waiting for the client above which its further requests wait too.
  static let highWater = 256 << 10

  let environment: SessionEnvironment
  let stream: ByteStream
  let access: AccessList
  package private(set) var identity: Actor.Client
  let reader: MessageReader
  var frames: FrameReader
  var pending: [UInt8] = []
  var isHeld = false
  var inputHasEnded = false
  var isClosing = false
  /// Where the next message begins can't be told any more.
  private var isUnreadable = false
  var inFlight: [ObjectIdentifier: InFlight] = [:]
  var inFlightBytes = 0
  var subscriptions: [Subscription] = []
  /// Whether a subscription has yet to catch up with the log.
  var isBehind = false
  private let onClose: @Loop (Session) -> Void

  package init(
    stream: ByteStream, listener: String, process: Actor.Process? = nil, access: AccessList,
    environment: SessionEnvironment, onClose: @escaping @Loop (Session) -> Void
  ) {
    self.stream = stream
    identity = Actor.Client(listener: listener, process: process)
    self.access = access
    self.environment = environment
    self.onClose = onClose
    reader = MessageReader(maxDepth: environment.limits.depth, maxBatch: environment.limits.batch)
    frames = FrameReader(maxMessageBytes: environment.limits.messageBytes)
    stream.delegate = self
  }

  package var listener: String { identity.listener }

  /// Takes down what the client says it is.
  func identify(name: String, version: String?) {
    identity.name = name
    identity.version = version
  }

  var framing: Framing { frames.framing ?? .newline }

  // MARK: Input

  package func received(_ bytes: UnsafeBufferPointer<UInt8>) {
    if pending.isEmpty, !isHeld {
      let used = consume(bytes)
      if used < bytes.count { pending.append(contentsOf: bytes[used...]) }
    } else {
      pending.append(contentsOf: bytes)
      consumePending()
    }
  }

  func consumePending() {
    guard !isHeld, !pending.isEmpty else { return }
    // Taken out, since a handler must be able to reach its client while the bytes are being read.
    var buffer: [UInt8] = []
    swap(&buffer, &pending)
    let used = buffer.withUnsafeBufferPointer { consume($0) }
    if used == buffer.count { return BufferPool.give(&buffer) }
    if used > 0 { buffer.removeFirst(used) }
    swap(&buffer, &pending)
  }

  /// Handles every whole message at hand.
  ///
  /// - Returns: How many bytes are done with.
  func consume(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var position = 0
    while position < bytes.count, !stream.isClosed, !isUnreadable {
      if shouldHold {
        hold()
        break
      }
      let rest = UnsafeBufferPointer(rebasing: bytes[position...])
      do throws(FramingError) {
        switch try frames.step(rest) {
        case .frame(let body, let next):
          handle(UnsafeBufferPointer(rebasing: rest[body]))
          position += next
        case .tooLong(let next):
          refuseTooLong()
          position += next
        case .skip(let next): position += next
        case .more: return position
        }
      } catch {
        refuse(.parseError("The stream can't be followed: \(error.message); connect again."), id: nil, batch: nil)
        isUnreadable = true
        finishClosing()
      }
    }
    return stream.isClosed || isUnreadable ? bytes.count : position
  }

  func refuseTooLong() {
    let limit = environment.limits.messageBytes
    refuse(
      .invalidRequest("The message is longer than \(limit) bytes (limits.messageBytes); send less at once."), id: nil,
      batch: nil)
  }

  var shouldHold: Bool {
    stream.unsent > Self.highWater || inFlightBytes > 2 * environment.limits.messageBytes
  }

  func hold() {
    guard !isHeld else { return }
    isHeld = true
    stream.pause()
  }

  func release() {
    guard isHeld, !shouldHold else { return }
    isHeld = false
    consumePending()
    guard !isHeld else { return }
    stream.resume()
    if inputHasEnded { endOfInput() }
  }

  package func inputEnded() {
    inputHasEnded = true
    if !isHeld { endOfInput() }
  }

  func endOfInput() {
    var buffer: [UInt8] = []
    swap(&buffer, &pending)
    buffer.withUnsafeBufferPointer { bytes in
      if let last = frames.remainder(bytes) { handle(UnsafeBufferPointer(rebasing: bytes[last])) }
    }
    closeIfDone()
  }

  // MARK: End

  /// Whether nothing is left to do for this client.
  var isDone: Bool {
    // Of a client that is being let go half a message is of no interest.
    inFlight.isEmpty && (pending.isEmpty || isClosing) && stream.unsent == 0
      && (subscriptions.isEmpty || !staysForEvents && !environment.fanout.hasNews)
  }

  /// Whether a client that sends no more is kept for its subscriptions.
  var staysForEvents = true

  func closeIfDone() {
    if inputHasEnded || isClosing, !isHeld, isDone, !stream.isClosed { close() }
  }

  /// Ends the connection once what is to be said has been said.
  package func finishClosing() {
    isClosing = true
    staysForEvents = false
    if isDone { close() }
  }

  package func disconnected() { close() }

  package func close() {
    stream.close()
    dropSubscriptions()
    for request in inFlight.values {
      request.alarm?.cancel()
      if !request.isMutation { request.task?.cancel() }
    }
    onClose(self)
  }
}
