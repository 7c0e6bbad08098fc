internal import CLinux
internal import Glibc
internal import Synchronization

/// Under which name a library is loaded.
///
/// The dynamic linker takes a path that it knows for the library that it has loaded from there, whatever the file is by
/// now. So each new file at a path gets a name of its own, which differs in its number of "./".
enum LibraryName {
  private struct File {
    let device: UInt
    let inode: UInt
    let size: Int
    let seconds: Int
    let nanoseconds: Int

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }

    func isSamePlace(as other: File) -> Bool { device == other.device && inode == other.inode }

    func isSameContent(as other: File) -> Bool {
      size == other.size && seconds == other.seconds && nanoseconds == other.nanoseconds
    }
  }

  /// The files that were found at each path.
  private static let known = Mutex<[String: [File]]>([:])

  /// Finds the name for the file that is at a path now.
  ///
  /// - Parameter path: An absolute path.
  /// - Returns: A path of the same file.
  /// - Throws: ``NativeLibraryError`` (overwritten) when the code that is loaded from it is not the file's any more.
  static func of(_ path: String) throws(NativeLibraryError) -> String {
    // Where there is none the linker says so.
    guard let file = File(path), let slash = path.lastIndex(of: "/") else { return path }
    let index = known.withLock { known in
      let files = known[path, default: []]
      if let index = files.firstIndex(where: { $0.isSamePlace(as: file) }) {
        return files[index].isSameContent(as: file) ? index : nil
      }
      known[path] = files + [file]
      return files.count
    }
    guard let index else { throw .overwritten(path: path) }
    return path[...slash] + String(repeating: "./", count: index) + path[path.index(after: slash)...]
  }
}
