internal import CLinux
internal import EventLoop
internal import Glibc

/// The bytes of a configuration file.
enum ConfigurationText {
  /// The most that a file may hold, in bytes.
  static let maxBytes = 4 << 20

  /// Why a file is not read, in words that follow its name.
  struct Unreadable: Error {
    let message: String
  }

  /// Reads a file; what is no regular file might block, and is refused.
  ///
  /// - Parameter path: The file's path.
  /// - Returns: Its bytes, without the byte-order mark that some editors put first.
  /// - Throws: ``Unreadable``.
  static func read(_ path: String) throws(Unreadable) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw failure() }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure() }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw Unreadable(message: "it is a folder, not a file")
    default: throw Unreadable(message: "it is no regular file")
    }
    let bytes = try readAll(file, expecting: Int(status.st_size))
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    return bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
  }

  /// Reads to the end, whatever `fstat` said: the file may grow meanwhile.
  private static func readAll(_ file: CInt, expecting size: Int) throws(Unreadable) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: min(max(size, 0), maxBytes) + 1)
    while true {
      let count = buffer.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure() }
      if count == 0 { return bytes }
      bytes += buffer.prefix(count)
      guard bytes.count <= maxBytes else {
        throw Unreadable(message: "it is longer than \(maxBytes >> 20) MiB")
      }
    }
  }

  private static func failure() -> Unreadable { Unreadable(message: String(cString: strerror(errno))) }
}
