internal import CLinux
internal import Glibc
internal import RingiKit
internal import Synchronization

/// What the kernel knows of a client's process.
enum ProcessCredentials {
  /// The process that connected to a socket; `nil` when the kernel doesn't say.
  static func peer(of socket: CInt) -> Actor.Process? {
    var process = Actor.Process(user: 0, group: 0, id: 0)
    return ringi_peer(socket, &process.id, &process.user, &process.group) == 0 ? process : nil
  }

  /// The process that started this one, whose standard input and output it serves.
  static var parent: Actor.Process { Actor.Process(user: getuid(), group: getgid(), id: getppid()) }
}

/// The system's users.
enum SystemUser {
  private static let names = Mutex<[uid_t: String?]>([:])

  /// The name of a user; `nil` when there is none of that number.
  ///
  /// The system may ask a server over the network, so this is nothing for the loop. Each is asked for once.
  static func name(of user: uid_t) -> String? {
    if let known = names.withLock({ $0[user] }) { return known }
    guard let name = lookUp(user) else { return nil }
    names.withLock { $0[user] = name }
    return name
  }

  private static func lookUp(_ user: uid_t) -> String? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16 << 10)
    guard getpwuid_r(user, &entry, &buffer, buffer.count, &found) == 0, let name = found?.pointee.pw_name else {
      return nil
    }
    return String(cString: name)
  }
}
