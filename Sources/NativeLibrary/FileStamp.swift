internal import CLinux
internal import Glibc

/// A file that holds a plugin's code, as it is at one moment.
package struct FileStamp: Equatable, Sendable {
  private let device: UInt
  private let inode: UInt
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int
  private let mode: UInt32

  /// Looks at a file; `nil` where there is no regular one.
  ///
  /// - Parameter path: The file's path.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
    (seconds, nanoseconds, mode) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_mode)
  }

  /// Whether nothing was written to it since, as far as can be told.
  func isSameContent(as other: FileStamp) -> Bool {
    size == other.size && seconds == other.seconds && nanoseconds == other.nanoseconds
  }

  /// Whether it is the same file, whatever is in it.
  func isSameFile(as other: FileStamp) -> Bool { device == other.device && inode == other.inode }
}
