package import EventLoop
internal import JSON
internal import JSONRPC
package import RingiKit
internal import RingiModel

/// One client: its requests in, its responses and notifications out.
@Loop
package final class Session: ByteStreamDelegate, CallClient {
  /// Longer names, escapes included, are not even looked at.
  private static let longestName = 1024
  /// Output waiting for the client above which its further requests wait too.
  private static let highWater = 256 << 10

  let environment: SessionEnvironment
  let stream: ByteStream
  let access: AccessList
  package let listener: String
  private let reader: MessageReader
  private var frames: FrameReader
  private var pending: [UInt8] = []
  private var isHeld = false
  private var inputHasEnded = false
  private var isClosing = false
  private var inFlight: [ObjectIdentifier: InFlight] = [:]
  private var inFlightBytes = 0
  var subscriptions: [Subscription] = []
  /// Whether a subscription has yet to catch up with the log.
  var isBehind = false
  private let onClose: @Loop (Session) -> Void

  package init(
    stream: ByteStream, listener: String, access: AccessList, environment: SessionEnvironment,
    onClose: @escaping @Loop (Session) -> Void
  ) {
    self.stream = stream
    self.listener = listener
    self.access = access
    self.environment = environment
    self.onClose = onClose
    reader = MessageReader(maxDepth: environment.limits.depth, maxBatch: environment.limits.batch)
    frames = FrameReader(maxMessageBytes: environment.limits.messageBytes)
    stream.delegate = self
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

  private func consumePending() {
    guard !isHeld, !pending.isEmpty else { return }
    // Taken out, since a handler must be able to reach this session while its bytes are being read.
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
  private func consume(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var position = 0
    while position < bytes.count, !stream.isClosed, !isClosing {
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
        finishClosing()
        return bytes.count
      }
    }
    return stream.isClosed || isClosing ? bytes.count : position
  }

  private func refuseTooLong() {
    let limit = environment.limits.messageBytes
    refuse(
      .invalidRequest("The message is longer than \(limit) bytes (limits.messageBytes); send less at once."), id: nil,
      batch: nil)
  }

  private var shouldHold: Bool {
    stream.unsent > Self.highWater || inFlightBytes > 2 * environment.limits.messageBytes
  }

  private func hold() {
    guard !isHeld else { return }
    isHeld = true
    stream.pause()
  }

  private func release() {
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

  private func endOfInput() {
    var buffer: [UInt8] = []
    swap(&buffer, &pending)
    buffer.withUnsafeBufferPointer { bytes in
      if let last = frames.remainder(bytes) { handle(UnsafeBufferPointer(rebasing: bytes[last])) }
    }
    closeIfDone()
  }

  // MARK: Messages

  private func handle(_ frame: UnsafeBufferPointer<UInt8>) {
    do throws(JSONSyntaxError) {
      dispatch(try reader.read(frame), in: frame)
    } catch {
      // A whole message with something after it: the message counts, and all the rest is one error.
      if let rest = reader.restAfterWholeText(frame, error) {
        handle(UnsafeBufferPointer(rebasing: frame[..<rest]))
      }
      refuse(.parseError(error), id: nil, batch: nil)
    }
  }

  private func dispatch(_ message: MessageReader.Message, in frame: UnsafeBufferPointer<UInt8>) {
    switch message {
    case .single(let request): dispatch(request, in: frame, batch: nil)
    case .emptyBatch:
      refuse(.invalidRequest("The batch is empty; put at least one request into it."), id: nil, batch: nil)
    case .batchTooLong(let count):
      refuse(
        .invalidRequest(
          "The batch has \(count) elements, at most \(environment.limits.batch) are taken (limits.batch)."),
        id: nil, batch: nil)
    case .batch(let requests):
      let batch = Batch()
      // Held open until the last element is on its way.
      batch.waiting = 1
      for request in requests { dispatch(request, in: frame, batch: batch) }
      settle(batch)
    }
  }

  private func dispatch(
    _ request: Result<Request, Request.Invalid>, in frame: UnsafeBufferPointer<UInt8>, batch: Batch?
  ) {
    switch request {
    case .success(let request): dispatch(request, in: frame, batch: batch)
    case .failure(let invalid):
      refuse(
        .invalidRequest(invalid.message), id: invalid.id.map { UnsafeBufferPointer(rebasing: frame[$0]) }, batch: batch)
    }
  }

  private func dispatch(_ request: Request, in frame: UnsafeBufferPointer<UInt8>, batch: Batch?) {
    environment.counters.requests += 1
    let id = request.id.map { UnsafeBufferPointer(rebasing: frame[$0]) }
    let name = UnsafeBufferPointer(rebasing: frame[request.method])
    let table = environment.registry.table
    guard !request.methodHasEscapes, let index = table.index(of: name) else {
      return dispatchUncommon(request, id, in: frame, batch: batch)
    }
    dispatch(index, table, request, id, in: frame, batch: batch)
  }

  /// Names written with escapes, the protocol's own notifications, and names that nobody has.
  private func dispatchUncommon(
    _ request: Request, _ id: UnsafeBufferPointer<UInt8>?, in frame: UnsafeBufferPointer<UInt8>, batch: Batch?
  ) {
    guard request.method.count <= Self.longestName else {
      return refuseRequest(
        .methodNotFound("No method has a name of \(request.method.count) bytes; rpc.discover lists all."), id: id,
        batch: batch)
    }
    let quoted = frame[request.method.lowerBound - 1...request.method.upperBound]
    let name = (try? JSONValue(parsing: Array(quoted)))?.string ?? ""
    let table = environment.registry.table
    if request.methodHasEscapes, let index = table.index(of: name) {
      return dispatch(index, table, request, id, in: frame, batch: batch)
    }
    if name == "$/cancelRequest" {
      if let params = request.params { cancel(JSONValue.parsed(frame[params])) }
      if let id { answer(id, batch) { $0.append(literal: "null") } }
      return
    }
    refuseRequest(
      .methodNotFound("There is no method \"\(name.prefix(200))\"; rpc.discover lists all."), id: id, batch: batch)
  }

  private func dispatch(
    _ index: Int, _ table: MethodTable, _ request: Request, _ id: UnsafeBufferPointer<UInt8>?,
    in frame: UnsafeBufferPointer<UInt8>, batch: Batch?
  ) {
    let method = table.methods[index]
    if environment.isStopping {
      return refuseRequest(
        .overloaded("The agent is shutting down; send the request again once it is back."), id: id, batch: batch)
    }
    guard access.allows(index) else {
      return refuseRequest(
        .forbidden("This listener does not allow \(method.name); its allow list is in ringi.json."), id: id,
        batch: batch)
    }
    let params = UnsafeBufferPointer(rebasing: frame[request.params ?? 0..<0])
    switch method.handler {
    case .bytes(let body): answer(method, body, params, id, batch)
    case .sync(let body): answer(method, body, params, id, batch)
    case .async: start(method, params, id, batch)
    }
  }

  // MARK: Synchronous methods

  private typealias BytesBody = @Loop @Sendable (UnsafeBufferPointer<UInt8>, Call, inout [UInt8]) throws -> Void
  private typealias SyncBody = @Loop @Sendable (JSONValue, Call) throws -> JSONValue

  @inline(__always)
  private func answer(
    _ method: Method, _ body: BytesBody, _ params: UnsafeBufferPointer<UInt8>, _ id: UnsafeBufferPointer<UInt8>?,
    _ batch: Batch?
  ) {
    let call = Call(origin: .client(self))
    guard let id else {
      var dropped: [UInt8] = []
      // A notification's failure has nobody to go to.
      try? body(params, call, &dropped)
      return
    }
    do { try answer(id, batch) { try body(params, call, &$0) } } catch { refuse(rpcError(error), id: id, batch: batch) }
  }

  private func answer(
    _ method: Method, _ body: SyncBody, _ params: UnsafeBufferPointer<UInt8>, _ id: UnsafeBufferPointer<UInt8>?,
    _ batch: Batch?
  ) {
    do {
      let (params, call) = try method.prepare(parse(params), Call(origin: .client(self)))
      let result = try body(params, call)
      if let id { answer(id, batch) { result.write(into: &$0) } }
    } catch {
      refuseRequest(rpcError(error), id: id, batch: batch)
    }
  }

  private func parse(_ params: UnsafeBufferPointer<UInt8>) throws(RPCError) -> JSONValue? {
    guard !params.isEmpty else { return nil }
    do throws(JSONSyntaxError) {
      return try JSONValue(
        parsing: UnsafeRawBufferPointer(params), options: JSONParsingOptions(maxDepth: environment.limits.depth))
    } catch {
      throw .parseError(error)
    }
  }

  // MARK: Asynchronous methods

  private func start(
    _ method: Method, _ bytes: UnsafeBufferPointer<UInt8>, _ id: UnsafeBufferPointer<UInt8>?, _ batch: Batch?
  ) {
    guard inFlight.count < environment.limits.inFlight else {
      return refuseRequest(
        .overloaded(
          "\(inFlight.count) requests of this connection have no answer yet (limits.inFlight); wait for some and send again."
        ), id: id, batch: batch)
    }
    let params: JSONValue?
    do { params = try parse(bytes) } catch { return refuseRequest(rpcError(error), id: id, batch: batch) }
    let request = InFlight(
      id: id.map { RequestID($0) }, method: method.name, isMutation: method.isMutation, batch: batch,
      bytes: bytes.count)
    batch?.waiting += 1
    inFlight[ObjectIdentifier(request)] = request
    inFlightBytes += request.bytes
    environment.counters.inFlight += 1
    let call = Call(origin: .client(self))
    let task = Loop.task { [self] in
      do {
        finish(request, .success(try await method.invoke(params, call)))
      } catch {
        // A handler may turn its cancellation into an error of its own.
        finish(request, .failure(Task.isCancelled ? .cancelled() : rpcError(error)))
      }
    }
    guard inFlight[ObjectIdentifier(request)] != nil else { return }
    request.task = task
    request.alarm = environment.clock.alarm(after: environment.limits.requestTimeout) { [weak self, weak request] in
      if let request { self?.timeOut(request) }
    }
  }

  private func finish(_ request: InFlight, _ result: Result<JSONValue, RPCError>) {
    inFlight[ObjectIdentifier(request)] = nil
    inFlightBytes -= request.bytes
    environment.counters.inFlight -= 1
    request.alarm?.cancel()
    answer(request, result)
    release()
    closeIfDone()
  }

  private func answer(_ request: InFlight, _ result: Result<JSONValue, RPCError>) {
    guard !request.isAnswered else { return }
    request.isAnswered = true
    if let id = request.id, !stream.isClosed {
      id.utf8.withUnsafeBufferPointer { id in
        switch result {
        case .success(let value): answer(id, request.batch) { value.write(into: &$0) }
        case .failure(let error): refuse(error, id: id, batch: request.batch)
        }
      }
    }
    if let batch = request.batch { settle(batch) }
  }

  private func timeOut(_ request: InFlight) {
    let limit = environment.limits.requestTimeout
    if request.isMutation {
      // It may have reached the backend: it goes on and is recorded, and the client learns that it must look.
      answer(
        request,
        .failure(
          .outcomeUnknown(
            "\(request.method) has not ended after \(limit); it goes on, read the task to see what came of it.")))
    } else {
      answer(
        request,
        .failure(.unavailable("\(request.method) has not ended after \(limit) (limits.requestTimeout); try again.")))
      request.task?.cancel()
    }
  }

  private func cancel(_ params: JSONValue?) {
    guard let id = params?["id"] else { return }
    let text = id.utf8
    // Late or unknown ids are no error: the answer may be under way. A mutation is not taken back half done.
    for request in inFlight.values where !request.isMutation {
      guard let other = request.id, other.utf8 == text || JSONValue.parsed(other.utf8[...]) == id else { continue }
      request.task?.cancel()
    }
  }

  // MARK: Output

  @inline(__always)
  private func answer(
    _ id: UnsafeBufferPointer<UInt8>, _ batch: Batch?, _ result: (inout [UInt8]) throws -> Void
  ) rethrows {
    if let batch { return try answer(id, in: batch, result) }
    let framing = framing
    try stream.write { output in
      let start = output.count
      do {
        MessageWriter.beginResult(id: id, in: &output)
        try result(&output)
        MessageWriter.end(&output)
        MessageWriter.frame(framing, from: start, in: &output)
      } catch {
        output.removeSubrange(start...)
        throw error
      }
    }
  }

  private func answer(
    _ id: UnsafeBufferPointer<UInt8>, in batch: Batch, _ result: (inout [UInt8]) throws -> Void
  ) rethrows {
    let start = batch.responses.count
    do {
      if start > 0 { batch.responses.append(UInt8(ascii: ",")) }
      MessageWriter.beginResult(id: id, in: &batch.responses)
      try result(&batch.responses)
      MessageWriter.end(&batch.responses)
    } catch {
      batch.responses.removeSubrange(start...)
      throw error
    }
  }

  /// Answers a request with an error; a notification gets silence.
  private func refuseRequest(_ error: RPCError, id: UnsafeBufferPointer<UInt8>?, batch: Batch?) {
    if id != nil { refuse(error, id: id, batch: batch) }
  }

  /// Answers with an error, with id null where none is known.
  private func refuse(_ error: RPCError, id: UnsafeBufferPointer<UInt8>?, batch: Batch?) {
    environment.counters.errors += 1
    let error = environment.redactor.redact(error)
    if let batch {
      if !batch.responses.isEmpty { batch.responses.append(UInt8(ascii: ",")) }
      return MessageWriter.error(error, id: id, in: &batch.responses)
    }
    let framing = framing
    stream.write { output in
      let start = output.count
      MessageWriter.error(error, id: id, in: &output)
      MessageWriter.frame(framing, from: start, in: &output)
    }
  }

  private func settle(_ batch: Batch) {
    batch.waiting -= 1
    guard batch.waiting == 0, !batch.responses.isEmpty, !stream.isClosed else { return }
    let framing = framing
    stream.write { output in
      let start = output.count
      output.append(UInt8(ascii: "["))
      output.append(contentsOf: batch.responses)
      output.append(UInt8(ascii: "]"))
      MessageWriter.frame(framing, from: start, in: &output)
    }
  }

  /// Sends a notification that `body` writes.
  func notify(_ body: (inout [UInt8]) -> Void) {
    guard !stream.isClosed else { return }
    let framing = framing
    stream.write { Self.frame(framing, in: &$0, body) }
  }

  /// Appends a notification that `body` writes to the stream, which is then to be told to send.
  @inline(__always)
  func append(_ body: (inout [UInt8]) -> Void) {
    let framing = framing
    stream.append { Self.frame(framing, in: &$0, body) }
  }

  @inline(__always)
  private static func frame(_ framing: Framing, in output: inout [UInt8], _ body: (inout [UInt8]) -> Void) {
    let start = output.count
    body(&output)
    MessageWriter.frame(framing, from: start, in: &output)
  }

  package func progress(_ token: JSONValue, _ value: JSONValue) {
    // Progress is the first thing that a client who doesn't read does without.
    guard stream.unsent < Self.highWater else { return }
    let params: JSONValue = ["token": token, "value": environment.redactor.redact(value)]
    notify { MessageWriter.notification("$/progress", in: &$0) { params.write(into: &$0) } }
  }

  package func turnEnds() { pump() }

  package func drained() {
    pump()
    release()
    closeIfDone()
  }

  // MARK: End

  /// Whether nothing is left to do for this client.
  private var isDone: Bool {
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

extension JSONValue {
  /// The value of a text that was checked before.
  fileprivate static func parsed(_ text: some Sequence<UInt8>) -> JSONValue? { try? JSONValue(parsing: Array(text)) }
}
