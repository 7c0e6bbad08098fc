internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit

// MARK: - Messages

extension Session {
  func handle(_ frame: UnsafeBufferPointer<UInt8>) {
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

  func dispatch(_ message: MessageReader.Message, in frame: UnsafeBufferPointer<UInt8>) {
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

  func dispatch(
    _ request: Result<Request, Request.Invalid>, in frame: UnsafeBufferPointer<UInt8>, batch: Batch?
  ) {
    switch request {
    case .success(let request): dispatch(request, in: frame, batch: batch)
    case .failure(let invalid):
      refuse(
        .invalidRequest(invalid.message), id: invalid.id.map { UnsafeBufferPointer(rebasing: frame[$0]) }, batch: batch)
    }
  }

  func dispatch(_ request: Request, in frame: UnsafeBufferPointer<UInt8>, batch: Batch?) {
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
  func dispatchUncommon(
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
    let registry = environment.registry
    refuseRequest(
      access.allows(name) ? registry.missing(name) : registry.unknown(name), id: id, batch: batch)
  }

  func dispatch(
    _ index: Int, _ table: MethodTable, _ request: Request, _ id: UnsafeBufferPointer<UInt8>?,
    in frame: UnsafeBufferPointer<UInt8>, batch: Batch?
  ) {
    let method = table.methods[index]
    if environment.isStopping || isClosing {
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
    case .sync(let body) where !method.isMutation: answer(method, body, params, id, batch)
    case .sync, .async, .text, .passed: start(method, params, id, batch)
    }
  }
}

extension JSONValue {
  /// The value of a text that was checked before.
  static func parsed(_ text: some Sequence<UInt8>) -> JSONValue? { try? JSONValue(parsing: Array(text)) }
}
