internal import CLinux
internal import Glibc

/// Which files belong to an open store, whatever stands at their paths later.
struct StoreIdentity: Equatable, Sendable {
  /// A file, whatever it is called.
  struct File: Equatable, Sendable {
    let device: UInt
    let inode: UInt

    /// The file that stands at a path now; `nil` when there is none.
    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      (device, inode) = (UInt(status.st_dev), UInt(status.st_ino))
    }
  }

  let database: File?
  /// SQLite's write-ahead log, which holds what was committed last.
  let log: File?
  let lock: File?
}
