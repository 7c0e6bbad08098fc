/// How messages are told apart on a byte stream.
package enum Framing: Sendable {
  /// One message a line.
  case newline
  /// A `Content-Length` header before each message: the base protocol of LSP 3.17.
  case contentLength
}

/// A stream whose messages can't be told apart any more; the connection has to end.
package struct FramingError: Error, Hashable, Sendable {
  package let message: String
}
