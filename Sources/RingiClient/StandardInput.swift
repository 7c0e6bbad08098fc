internal import Glibc

/// What is piped in.
enum StandardInput {
  /// Reads a descriptor to its end.
  ///
  /// - Throws: `Failure` when it cannot be read.
  static func read(_ descriptor: Int32) throws(Failure) -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      if count > 0 {
        bytes += chunk.prefix(count)
      } else if errno != EINTR {
        throw Failure(.usage, "Standard input could not be read: \(SystemMessage.text(errno)).")
      }
    }
  }
}
