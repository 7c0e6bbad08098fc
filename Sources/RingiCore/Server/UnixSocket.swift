internal import CLinux
package import EventLoop
internal import Glibc

/// Listening Unix-domain sockets and their files.
package enum UnixSocket {
  /// The longest path that fits `sun_path` with its closing NUL, in bytes.
  package static let maxPathBytes = 107

  package enum BindError: Error, Equatable, CustomStringConvertible {
    case pathTooLong(String)
    /// Another agent listens there.
    case inUse(String)
    case notASocket(String)
    case unknownGroup(String)
    case system(String, SystemError)

    package var description: String {
      switch self {
      case .pathTooLong(let path):
        "The socket path \(path) has \(path.utf8.count) bytes, the system takes at most \(UnixSocket.maxPathBytes); choose a shorter one."
      case .inUse(let path): "Another agent listens on \(path); stop it first, or give this one another --socket."
      case .notASocket(let path): "\(path) exists and is not a socket; remove it, or choose another path."
      case .unknownGroup(let group): "There is no group \(group) on this system; create it, or correct `group`."
      case .system(let path, let error):
        "The socket \(path) can't be made (\(error)); check the folder and its permissions."
      }
    }
  }

  /// Listens on a path; a file that a dead agent left there is replaced.
  ///
  /// - Parameters:
  ///   - path: Where the socket's file is made; missing folders are made with mode 0700.
  ///   - mode: The file's permissions.
  ///   - group: The file's group, or `nil` to leave it.
  /// - Returns: The listening socket, non-blocking.
  /// - Throws: ``BindError``.
  package static func listen(_ path: String, mode: UInt32, group: String?) throws(BindError) -> CInt {
    guard path.utf8.count <= maxPathBytes else { throw .pathTooLong(path) }
    try makeFolder(of: path)
    try clear(path)
    let socket = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw .system(path, .last("socket")) }
    do throws(BindError) {
      // Nobody can connect before listen(2), so there is time to set its group and mode.
      guard withAddress(path, { bind(socket, $0, $1) }) == 0 else { throw .system(path, .last("bind")) }
      if let group { try give(path, to: group) }
      guard chmod(path, mode) == 0 else { throw .system(path, .last("chmod")) }
      guard Glibc.listen(socket, 4096) == 0 else { throw .system(path, .last("listen")) }
      return socket
    } catch {
      close(socket)
      throw error
    }
  }

  /// Connects; used to find out whether somebody listens.
  package static func connect(_ path: String) throws(SystemError) -> CInt {
    let socket = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw .last("socket") }
    guard withAddress(path, { Glibc.connect(socket, $0, $1) }) == 0 else {
      let error = SystemError.last("connect \(path)")
      close(socket)
      throw error
    }
    return socket
  }

  /// The path that a listening Unix-domain socket is bound to; `nil` when it is none.
  package static func boundPath(of socket: CInt) -> String? {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
    }
    guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
    return withUnsafeBytes(of: &address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  private static func clear(_ path: String) throws(BindError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
    do throws(SystemError) {
      close(try connect(path))
    } catch {
      guard error.code == ECONNREFUSED else { throw .system(path, error) }
      unlink(path)
      return
    }
    throw .inUse(path)
  }

  private static func makeFolder(of path: String) throws(BindError) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return }
    do throws(SystemError) { try Folder.make(String(path[..<slash])) } catch { throw .system(path, error) }
  }

  private static func give(_ path: String, to group: String) throws(BindError) {
    guard let id = SystemGroup.id(of: group) else { throw .unknownGroup(group) }
    guard chown(path, uid_t.max, id) == 0 else { throw .system(path, .last("chown")) }
  }

  private static func withAddress<T>(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> T
  ) -> T {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      bytes.copyBytes(from: path.utf8.prefix(maxPathBytes))
    }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}

/// Folders of the agent's own.
package enum Folder {
  /// Makes a folder and those above it that are missing, closed to others.
  package static func make(_ path: String) throws(SystemError) {
    var status = stat()
    if stat(path, &status) == 0 { return }
    if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex {
      try make(String(path[..<slash]))
    }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .last("mkdir \(path)") }
  }
}

/// The system's groups.
enum SystemGroup {
  /// The number of a group, or `nil` when there is none of that name.
  static func id(of name: String) -> gid_t? {
    var entry = group()
    var buffer = [CChar](repeating: 0, count: 16 << 10)
    var found: UnsafeMutablePointer<group>?
    guard getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
    return entry.gr_gid
  }
}
