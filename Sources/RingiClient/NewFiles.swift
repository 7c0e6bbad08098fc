internal import Glibc

/// Files that were not there before.
enum NewFiles {
  /// Makes a folder, and those around it that are missing.
  ///
  /// - Throws: `Failure` when it can't be made.
  static func makeFolders(_ path: String) throws(Failure) {
    guard access(path, F_OK) != 0 else { return }
    if let slash = path.dropLast().lastIndex(of: "/"), slash != path.startIndex {
      try makeFolders(String(path[..<slash]))
    }
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw failure(path) }
  }

  /// Makes a folder that is not there yet.
  ///
  /// - Throws: `Failure` when it can't be made, or is there.
  static func makeFolder(_ path: String) throws(Failure) {
    guard mkdir(path, 0o755) == 0 else { throw failure(path) }
  }

  /// Writes a file that is not there yet.
  ///
  /// - Throws: `Failure` when it can't be written, or is there.
  static func write(_ bytes: [UInt8], to path: String, isExecutable: Bool = false) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isExecutable ? 0o755 : 0o644)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno != EINTR { throw failure(path) }
      rest = rest.dropFirst(max(0, count))
    }
  }

  private static func failure(_ path: String) -> Failure {
    Failure(.output, "\(path) can't be written: \(SystemMessage.text(errno)).")
  }
}
