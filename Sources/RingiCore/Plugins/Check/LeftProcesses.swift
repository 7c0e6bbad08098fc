internal import CLinux
internal import Glibc

/// The processes that a program leaves behind when it ends.
///
/// They become children of this process, which has to be alone with the program for that to tell anything.
enum LeftProcesses {
  struct Left: Equatable {
    let process: Int32
    /// The program's name.
    let name: String
    let fate: Fate
  }

  enum Fate {
    /// It ended with its group.
    case endedWithGroup
    /// It had left the program's group, so that the end of the group was not its own, and was ended here.
    case escaped
    /// It lives on: it is not this user's to end, or doesn't end of `SIGKILL` either.
    case alive
  }

  /// How long a process may take to end after `SIGKILL`; one that the kernel keeps (a dead file server) may never.
  private static let patience: Int32 = 5000

  /// Lets orphans come here from now on.
  static func adopt() { ringi_adopt_orphans() }

  /// Finds what was left, and ends it.
  ///
  /// - Parameter group: The program's process group, which has got `SIGKILL`.
  /// - Returns: The processes that were alive when the program ended.
  static func end(group: Int32) -> [Left] {
    var left: [Left] = []
    // Those of one that is ended here come here in turn.
    while let child = children().first(where: { child in
      !left.contains { $0.fate == .alive && $0.process == child.process }
    }) {
      let hasEscaped = child.group != group && state(of: child.process) != "Z"
      let isKilled = kill(child.process, SIGKILL) == 0
      if let signal = reap(child.process, within: isKilled ? patience : 0) {
        // What had ended by itself, and was not waited for, is no process left behind.
        guard hasEscaped || signal == SIGKILL else { continue }
        left.append(Left(process: child.process, name: child.name, fate: hasEscaped ? .escaped : .endedWithGroup))
      } else {
        left.append(Left(process: child.process, name: child.name, fate: .alive))
      }
    }
    return left
  }

  /// Waits for the end of a child.
  ///
  /// - Parameters:
  ///   - process: The child.
  ///   - limit: How long that may take, in milliseconds.
  /// - Returns: The signal that ended it; 0 where it was none; `nil` when it has not ended within the limit.
  private static func reap(_ process: Int32, within limit: Int32) -> Int32? {
    let descriptor = pidfd_open(process, 0)
    if descriptor >= 0 {
      var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      while poll(&end, 1, limit) < 0, errno == EINTR {}
      close(descriptor)
    }
    var status: Int32 = 0
    // One that somebody else has waited for is gone, too.
    return waitpid(process, &status, WNOHANG) == 0 ? nil : status & 0x7F
  }

  private struct Child {
    let process: Int32
    let name: String
    let group: Int32
  }

  private static func children() -> [Child] {
    guard let directory = opendir("/proc") else { return [] }
    defer { closedir(directory) }
    var found: [Child] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard let process = Int32(name), let fields = fields(of: process), fields.parent == getpid() else { continue }
      found.append(Child(process: process, name: fields.name, group: fields.group))
    }
    return found
  }

  private static func state(of process: Int32) -> String { fields(of: process)?.state ?? "Z" }

  /// What proc_pid_stat(5) says of a process.
  private static func fields(of process: Int32) -> (name: String, state: String, parent: Int32, group: Int32)? {
    guard let file = fopen("/proc/\(process)/stat", "r") else { return nil }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = fread(&buffer, 1, buffer.count, file)
    let text = String(decoding: buffer.prefix(count), as: UTF8.self)
    guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")") else { return nil }
    let rest = text[text.index(after: close)...].split(separator: " ")
    guard rest.count > 2, let parent = Int32(rest[1]), let group = Int32(rest[2]) else { return nil }
    return (String(text[text.index(after: open)..<close]), String(rest[0]), parent, group)
  }
}
