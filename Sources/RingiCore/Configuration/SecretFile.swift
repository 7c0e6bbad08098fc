internal import CLinux
internal import EventLoop
internal import Glibc

/// A small file, read at once.
enum SecretFile {
  /// Reads a file; what is no regular file might block and is refused.
  static func read(_ path: String) throws(SecretError.Reason) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw .unreadable(SystemError.last("open")) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .unreadable(SystemError.last("fstat")) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    var bytes = [UInt8](repeating: 0, count: SecretReader.maxBytes + 3)
    var count = 0
    while count < bytes.count {
      let more = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress.map { $0 + count }, $0.count - count) }
      if more < 0, errno == EINTR { continue }
      guard more >= 0 else { throw .unreadable(SystemError.last("read")) }
      if more == 0 { break }
      count += more
    }
    return Array(bytes[..<count])
  }
}
