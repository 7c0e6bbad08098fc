internal import Glibc
internal import Synchronization

/// The libraries that were loaded, which stay.
///
/// The dynamic linker takes a path that it knows for the library that it has loaded from there, whatever the file is by
/// now. So each new file at a path is loaded under a name of its own, which differs in its number of "./".
enum LoadedLibraries {
  /// The files that were loaded from each path.
  private static let known = Mutex<[String: [FileStamp]]>([:])

  /// Loads the file that is at a path now.
  ///
  /// - Parameter path: An absolute path.
  /// - Returns: The dynamic linker's handle.
  /// - Throws: ``NativeLibraryError``: unloadable; overwritten when the code that is loaded is not the file's any more.
  static func open(_ path: String) throws(NativeLibraryError) -> UnsafeMutableRawPointer {
    let stamp = FileStamp(path)
    // To open a pipe could take for ever, with a lock of the linker's held that every new thread needs.
    if stamp == nil, access(path, F_OK) == 0 { throw .unloadable("\(path) is no regular file") }
    let files = known.withLock { $0[path, default: []] }
    let index = files.firstIndex { file in stamp.map { file.isSameFile(as: $0) } ?? false }
    if let index, let stamp, !files[index].isSameContent(as: stamp) { throw .overwritten(path: path) }
    guard let handle = dlopen(name(path, index ?? files.count), RTLD_NOW | RTLD_LOCAL) else {
      throw .unloadable(dlerror().map { String(cString: $0) } ?? path)
    }
    if let stamp, index == nil { known.withLock { $0[path, default: []].append(stamp) } }
    return handle
  }

  private static func name(_ path: String, _ index: Int) -> String {
    guard let slash = path.lastIndex(of: "/") else { return path }
    return path[...slash] + String(repeating: "./", count: index) + path[path.index(after: slash)...]
  }
}
