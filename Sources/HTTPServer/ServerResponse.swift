/// What a handler answers, and how it goes out.
package struct ServerResponse: Sendable {
  package var status: Int
  /// Written as spelt and in this order; a repeated name makes a line of its own.
  ///
  /// The server adds `Content-Length`, and `Connection: close` on the last answer of a connection.
  package var headers: ServerHeaders
  package var body: [UInt8]
  package var delivery: Delivery

  package init(status: Int, headers: ServerHeaders = [:], body: [UInt8] = [], delivery: Delivery = Delivery()) {
    self.status = status
    self.headers = headers
    self.body = body
    self.delivery = delivery
  }

  package init(status: Int, headers: ServerHeaders = [:], text: String) {
    self.init(status: status, headers: headers, body: Array(text.utf8))
  }
}
