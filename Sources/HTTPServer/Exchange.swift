internal import CMicroHTTPD
import Glibc

/// One request of a `LoopbackServer` on its way in, and its answer on the way out.
///
/// Used by its connection's thread alone.
final class Exchange {
  private var incoming: IncomingRequest
  private var hasHeaders = false

  init(target: String) { incoming = IncomingRequest(target: target) }

  /// Takes the next part of the request: first the headers, then pieces of the body, at last nothing.
  ///
  /// - Returns: `MHD_NO` to have the connection closed without an answer.
  func take(
    _ connection: OpaquePointer, method: UnsafePointer<CChar>, piece: UnsafePointer<CChar>?,
    count: UnsafeMutablePointer<Int>, in context: ServerContext
  ) -> MHD_Result {
    guard hasHeaders else {
      hasHeaders = true
      return .YES
    }
    guard count.pointee == 0 else {
      incoming.append(UnsafeRawBufferPointer(start: piece, count: count.pointee), limit: context.bodyLimit)
      count.pointee = 0
      return .YES
    }
    return send(response(method: String(cString: method), connection, context), on: connection, context)
  }

  private func response(method: String, _ connection: OpaquePointer, _ context: ServerContext) -> ServerResponse {
    if incoming.isTooLong { return ServerResponse(status: 413) }
    guard let request = incoming.request(method, of: connection) else { return ServerResponse(status: 400) }
    return context.handler(request)
  }

  private func send(_ response: ServerResponse, on connection: OpaquePointer, _ context: ServerContext) -> MHD_Result {
    let socket = ringi_mhd_socket(connection)
    let delivery = response.delivery
    guard delivery.delay <= .zero || context.stop.wait(delivery.delay) else { return .NO }
    switch delivery.ending {
    case .hang:
      _ = context.stop.wait(nil, hangUpOf: socket)
      return .NO
    case .reset:
      reset(socket)
      return .NO
    case .answer: return response.queue(on: connection, from: BodySource(response, on: socket, stop: context.stop))
    }
  }
}
