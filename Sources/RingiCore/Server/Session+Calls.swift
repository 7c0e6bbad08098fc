internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit

extension Session {
  // MARK: Synchronous methods

  typealias BytesBody = @Loop @Sendable (UnsafeBufferPointer<UInt8>, Call, inout [UInt8]) throws -> Void
  typealias SyncBody = @Loop @Sendable (JSONValue, Call) throws -> JSONValue

  @inline(__always)
  func answer(
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

  func answer(
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

  func parse(_ params: UnsafeBufferPointer<UInt8>) throws(RPCError) -> JSONValue? {
    guard !params.isEmpty else { return nil }
    do throws(JSONSyntaxError) {
      return try JSONValue(
        parsing: UnsafeRawBufferPointer(params), options: JSONParsingOptions(maxDepth: environment.limits.depth))
    } catch {
      throw .parseError(error)
    }
  }

  // MARK: Asynchronous methods

  func start(
    _ method: Method, _ bytes: UnsafeBufferPointer<UInt8>, _ id: UnsafeBufferPointer<UInt8>?, _ batch: Batch?
  ) {
    guard inFlight.count < environment.limits.inFlight else {
      return refuseRequest(
        .overloaded(
          "\(inFlight.count) requests of this connection have no answer yet (limits.inFlight); wait for some and send again."
        ), id: id, batch: batch)
    }
    let work: Work
    do { work = try self.work(method, bytes) } catch { return refuseRequest(rpcError(error), id: id, batch: batch) }
    let request = InFlight(
      id: id.map { RequestID($0) }, method: method.name, isMutation: method.isMutation, batch: batch,
      bytes: bytes.count)
    batch?.waiting += 1
    inFlight[ObjectIdentifier(request)] = request
    inFlightBytes += request.bytes
    environment.counters.inFlight += 1
    let task = Loop.task { [self] in
      do {
        finish(request, .success(try await work()))
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

  private typealias Work = @Loop @Sendable () async throws -> Method.Answer

  /// What a request asks for, with its params read as far as the method wants to know them.
  private func work(_ method: Method, _ bytes: UnsafeBufferPointer<UInt8>) throws(RPCError) -> Work {
    let call = Call(origin: .client(self))
    if case .passed(let body) = method.handler, !method.isMutation, let params = PassedParams.read(bytes) {
      return { .text(try await body(params, call)) }
    }
    let params = try parse(bytes)
    return { [registry = environment.registry] in try await registry.answer(method, params, call) }
  }

  func finish(_ request: InFlight, _ result: Result<Method.Answer, RPCError>) {
    inFlight[ObjectIdentifier(request)] = nil
    inFlightBytes -= request.bytes
    environment.counters.inFlight -= 1
    request.alarm?.cancel()
    answer(request, result)
    release()
    closeIfDone()
  }

  func answer(_ request: InFlight, _ result: Result<Method.Answer, RPCError>) {
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

  func timeOut(_ request: InFlight) {
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

  /// Answers what is under way without waiting for its end.
  func giveUp() {
    for request in inFlight.values {
      answer(
        request,
        .failure(
          request.isMutation
            ? .outcomeUnknown(
              "\(request.method) was under way when the agent ended: it may have happened. Ask again when the agent is back, with the same idempotency key if there was one."
            ) : .overloaded("The agent is shutting down; send the request again once it is back.")))
    }
    stream.sendUnlessQueued()
  }

  func cancel(_ params: JSONValue?) {
    guard let id = params?["id"] else { return }
    let text = id.utf8
    // Late or unknown ids are no error: the answer may be under way. A mutation is not taken back half done.
    for request in inFlight.values where !request.isMutation {
      guard let other = request.id, other.utf8 == text || JSONValue.parsed(other.utf8[...]) == id else { continue }
      request.task?.cancel()
    }
  }
}
