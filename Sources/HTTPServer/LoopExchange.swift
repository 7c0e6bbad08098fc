internal import CMicroHTTPD
import EventLoop

/// One request of a `LoopServer` on its way in, and its answer on the way out.
@Loop
final class LoopExchange {
  private enum State {
    case head, body
    /// The connection is suspended; the descriptor tells of a hang-up.
    case waiting(Task<Void, any Error>, Descriptor?)
    case answered(ServerResponse)
    /// Nobody wants the answer any more.
    case gone
    case sent
  }

  private var incoming: IncomingRequest
  private let connection: OpaquePointer
  private let context: LoopServerContext
  private var state = State.head

  init(target: String, connection: OpaquePointer, context: LoopServerContext) {
    incoming = IncomingRequest(target: target)
    self.connection = connection
    self.context = context
  }

  /// Takes the next part of the request: first the headers, then pieces of the body, at last nothing; and once more
  /// after the connection was resumed.
  ///
  /// - Returns: `MHD_NO` to have the connection closed without an answer.
  func take(_ method: String, _ piece: UnsafeRawBufferPointer) -> MHD_Result {
    switch state {
    case .head:
      state = .body
      guard let request = incoming.request(method, of: connection) else { return send(ServerResponse(status: 400)) }
      return context.admission(request).map(send) ?? .YES
    case .body where !piece.isEmpty:
      append(piece)
      return .YES
    case .body:
      if incoming.isTooLong { return send(ServerResponse(status: 413)) }
      guard let request = incoming.request(method, of: connection) else { return send(ServerResponse(status: 400)) }
      wait(for: request)
      return .YES
    case .waiting: return .YES
    case .answered(let response): return send(response)
    case .gone: return .NO
    // The rest of a request that was refused.
    case .sent: return .YES
    }
  }

  private func append(_ piece: UnsafeRawBufferPointer) {
    let before = incoming.body.count
    let room = context.limits.heldBytes - context.heldBytes
    incoming.append(piece, limit: min(context.limits.bodyBytes, before + room))
    context.heldBytes += incoming.body.count - before
  }

  private func send(_ response: ServerResponse) -> MHD_Result {
    state = .sent
    return response.queue(on: connection, from: BodySource(response.body))
  }

  // MARK: Waiting

  private func wait(for request: ServerRequest) {
    let task = Loop.task { [self] in finish(await context.handler(request)) }
    MHD_suspend_connection(connection)
    // Without it a hang-up is not noticed, and the work goes on in vain.
    let descriptor = try? Descriptor(ringi_mhd_socket(connection), interest: .readHangUp) { _ in self.hangUp() }
    state = .waiting(task, descriptor)
    context.add(self)
  }

  private func finish(_ response: ServerResponse) {
    guard case .waiting(_, let descriptor) = state else { return }
    resume(as: .answered(response), descriptor)
  }

  /// Ends the wait for the answer, which nobody will get.
  func hangUp() {
    guard case .waiting(let task, let descriptor) = state else { return }
    resume(as: .gone, descriptor)
    task.cancel()
  }

  private func resume(as next: State, _ descriptor: Descriptor?) {
    state = next
    descriptor?.cancel()
    context.remove(self)
    MHD_resume_connection(connection)
    context.wake()
  }

  /// libmicrohttpd is done with the request.
  func close() {
    context.heldBytes -= incoming.body.count
    incoming = IncomingRequest(target: "")
    if case .sent = state { return }
    state = .gone
  }
}
