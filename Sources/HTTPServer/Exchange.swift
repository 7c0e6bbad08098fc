internal import CMicroHTTPD
import Glibc

/// One request on its way in, and its answer on the way out.
///
/// Used by its connection's thread alone.
final class Exchange {
  private let target: String
  private var hasHeaders = false
  private var body: [UInt8] = []
  private var isTooLong = false

  init(target: String) { self.target = target }

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
      append(UnsafeRawBufferPointer(start: piece, count: count.pointee), limit: context.bodyLimit)
      count.pointee = 0
      return .YES
    }
    return send(response(method: String(cString: method), connection, context), on: connection, context)
  }

  private func append(_ piece: UnsafeRawBufferPointer, limit: Int) {
    isTooLong = isTooLong || body.count + piece.count > limit
    if isTooLong { body = [] } else { body.append(contentsOf: piece) }
  }

  private func response(method: String, _ connection: OpaquePointer, _ context: ServerContext) -> ServerResponse {
    if isTooLong { return ServerResponse(status: 413) }
    let request = ServerRequest(method: method, target: target, headers: Self.headers(of: connection), body: body)
    guard let request else { return ServerResponse(status: 400) }
    return context.handler(request)
  }

  private static func headers(of connection: OpaquePointer) -> ServerHeaders {
    var headers = ServerHeaders()
    withUnsafeMutablePointer(to: &headers) { pointer in
      _ = MHD_get_connection_values_n(
        connection, .HEADER_KIND,
        { target, _, name, nameLength, value, valueLength in
          let headers = target?.assumingMemoryBound(to: ServerHeaders.self)
          headers?.pointee.add(text(name, nameLength), text(value, valueLength))
          return .YES
        }, pointer)
    }
    return headers
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
    case .answer: return queue(response, on: connection, socket, context)
    }
  }

  private func queue(
    _ response: ServerResponse, on connection: OpaquePointer, _ socket: CInt, _ context: ServerContext
  ) -> MHD_Result {
    let source = Unmanaged.passRetained(BodySource(response, on: socket, stop: context.stop))
    let handle = MHD_create_response_from_callback(
      UInt64(response.body.count), 65536,
      { source, position, buffer, capacity in
        guard let source, let buffer else { return ringi_mhd_broken_off() }
        return Unmanaged<BodySource>.fromOpaque(source).takeUnretainedValue()
          .read(at: position, into: buffer, capacity: capacity)
      }, source.toOpaque(),
      { source in if let source { Unmanaged<BodySource>.fromOpaque(source).release() } })
    guard let handle else {
      source.release()
      return .NO
    }
    defer { MHD_destroy_response(handle) }
    let added = response.headers.fields.allSatisfy { MHD_add_response_header(handle, $0.name, $0.value) == .YES }
    return added ? MHD_queue_response(connection, UInt32(response.status), handle) : .NO
  }
}

private func text(_ bytes: UnsafePointer<CChar>?, _ count: Int) -> String {
  String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
}
