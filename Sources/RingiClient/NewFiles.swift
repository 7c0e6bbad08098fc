internal import Glibc

/// Files that were not there before, which can be taken back.
struct NewFiles {
  /// What was made, in this order.
  private var made: [(path: String, isFolder: Bool)] = []

  /// Makes a folder, and those around it that are missing.
  ///
  /// - Throws: `Failure` when it can't be made.
  mutating func makeFolders(_ path: String) throws(Failure) {
    guard access(path, F_OK) != 0 else { return }
    if let slash = path.dropLast().lastIndex(of: "/"), slash != path.startIndex {
      try makeFolders(String(path[..<slash]))
    }
    if mkdir(path, 0o755) == 0 {
      made.append((path, true))
    } else if errno != EEXIST {
      throw failure(path)
    }
  }

  /// Makes a folder that is not there yet.
  ///
  /// - Throws: `Failure` when it can't be made, or is there.
  mutating func makeFolder(_ path: String) throws(Failure) {
    guard mkdir(path, 0o755) == 0 else { throw failure(path) }
    made.append((path, true))
  }

  /// Writes a file that is not there yet.
  ///
  /// - Throws: `Failure` when it can't be written, or is there.
  mutating func write(_ bytes: [UInt8], to path: String, isExecutable: Bool = false) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isExecutable ? 0o755 : 0o644)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    made.append((path, false))
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno != EINTR { throw failure(path) }
      rest = rest.dropFirst(max(0, count))
    }
  }

  /// Removes all that was made; a folder only when nothing else is in it.
  mutating func remove() {
    for (path, isFolder) in made.reversed() { _ = isFolder ? rmdir(path) : unlink(path) }
    made = []
  }

  private func failure(_ path: String) -> Failure {
    Failure(.output, "\(path) can't be written: \(SystemMessage.text(errno)).")
  }
}
