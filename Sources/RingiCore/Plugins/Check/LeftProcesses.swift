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
    /// Whether it had left the program's group, so that the end of the group was not its own.
    let hadEscaped: Bool
  }

  /// Lets orphans come here from now on.
  static func adopt() { ringi_adopt_orphans() }

  /// Finds what was left, and ends it.
  ///
  /// - Parameter group: The program's process group, which has got `SIGKILL`.
  /// - Returns: The processes that were alive when the program ended.
  static func end(group: Int32) -> [Left] {
    var left: [Left] = []
    // Those of one that is ended here come here in turn.
    while let child = children().first {
      let (status, name, itsGroup) = (state(of: child.process), child.name, child.group)
      if status == "Z" || itsGroup == group {
        // What had ended by itself, and was not waited for, is no process left behind.
        if reap(child.process) == SIGKILL { left.append(Left(process: child.process, name: name, hadEscaped: false)) }
      } else {
        kill(child.process, SIGKILL)
        _ = reap(child.process)
        left.append(Left(process: child.process, name: name, hadEscaped: true))
      }
    }
    return left
  }

  /// Waits for a child that has ended or is about to.
  ///
  /// - Returns: The signal that ended it; 0 where it was none.
  private static func reap(_ process: Int32) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F
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
