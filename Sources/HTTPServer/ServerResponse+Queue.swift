internal import CMicroHTTPD

extension ServerResponse {
  /// Hands the answer to libmicrohttpd, which takes the body from `source`; headers without a value are left out.
  ///
  /// - Returns: `MHD_NO`, which closes the connection, when memory ran out or a header is malformed.
  func queue(on connection: OpaquePointer, from source: BodySource) -> MHD_Result {
    let source = Unmanaged.passRetained(source)
    let handle = MHD_create_response_from_callback(
      UInt64(body.count), 65536,
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
    // It takes no value that is empty, and none with a tab, which means the same as a space (RFC 9110, 5.5).
    let fields = headers.fields.filter { !$0.value.allSatisfy { $0 == " " || $0 == "\t" } }
    let added = fields.allSatisfy {
      MHD_add_response_header(handle, $0.name, $0.value.replacing("\t", with: " ")) == .YES
    }
    return added ? MHD_queue_response(connection, UInt32(status), handle) : .NO
  }
}
