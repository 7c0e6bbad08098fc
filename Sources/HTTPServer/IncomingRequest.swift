internal import CMicroHTTPD

/// The parts of a request as libmicrohttpd brings them.
struct IncomingRequest {
  let target: String
  private(set) var body: [UInt8] = []
  private(set) var isTooLong = false

  init(target: String) { self.target = target }

  /// Keeps a piece of the body, unless that makes it longer than `limit`: then all of it is dropped.
  mutating func append(_ piece: UnsafeRawBufferPointer, limit: Int) {
    isTooLong = isTooLong || body.count + piece.count > limit
    if isTooLong { body = [] } else { body.append(contentsOf: piece) }
  }

  /// The request with what of its body has come; nil when its target makes no sense.
  func request(_ method: String, of connection: OpaquePointer) -> ServerRequest? {
    ServerRequest(method: method, target: target, headers: Self.headers(of: connection), body: body)
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
}

private func text(_ bytes: UnsafePointer<CChar>?, _ count: Int) -> String {
  String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
}
