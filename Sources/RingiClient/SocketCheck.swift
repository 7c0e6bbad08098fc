internal import CLinux
internal import Glibc
internal import JSON

/// What can be found out about the agent's socket when nobody answers there.
enum SocketCheck {
  /// Checks the socket's file and its folder, and prints what was found as the agent would: `{checks}`.
  static func run(_ invocation: Invocation) throws(Failure) {
    let path = try SocketPath.resolve(
      invocation.arguments.value("socket"), environment: invocation.surroundings.environment)
    let checks = [file(path), folder(of: path)]
    if invocation.wantsJSON {
      invocation.output.json(["checks": JSONValue(array: checks)])
    } else {
      var view = FindingView(invocation.output)
      view.show(all: checks)
    }
  }

  private static func file(_ path: String) -> JSONValue {
    func finding(_ status: String, _ message: String, _ advice: String) -> JSONValue {
      self.finding("reachability", status, message, advice)
    }
    var status = stat()
    guard lstat(path, &status) == 0 else {
      return errno == ENOENT
        ? finding(
          "problem", "there is no \(path): no agent has made it",
          "Start one with `ringid`, or name the socket of the one that runs with --socket PATH or RINGI_SOCKET.")
        : finding(
          "problem", "\(path) can't be looked at: \(SystemMessage.text(errno))",
          "Become the user whose agent it is, or have the folders above it opened.")
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      return finding(
        "problem", "\(path) is no socket", "Name the agent's own with --socket PATH or RINGI_SOCKET, or remove it.")
    }
    guard faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 else {
      return finding(
        "problem",
        "\(path) lets you not in: it belongs to user \(status.st_uid) and group \(status.st_gid), with mode "
          + "\(octal(status.st_mode))",
        "Have mode and group of the listener set in ringi.json, or join the group.")
    }
    return finding(
      "problem", "\(path) was left by an agent that is gone", "Start one with `ringid`, which takes its place.")
  }

  private static func folder(of path: String) -> JSONValue {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    var status = stat()
    guard stat(folder, &status) == 0 else {
      return finding(
        "permissions", errno == ENOENT ? "skipped" : "problem", "\(folder): \(SystemMessage.text(errno))",
        errno == ENOENT ? nil : "Become the user whose agent it is.")
    }
    let mode = status.st_mode & 0o7777
    // Where a sticky bit is set nobody takes away the files of others, as in /tmp.
    if mode & 0o022 != 0, mode & 0o1000 == 0 {
      return finding(
        "permissions", "warning", "others may change \(folder), and put another socket in the agent's place",
        "Close it: `chmod \(octal(mode & ~0o022)) \(folder)`.")
    }
    return finding("permissions", "ok", "\(folder) is closed to changes by others", nil)
  }

  private static func octal(_ mode: mode_t) -> String { "0" + String(mode & 0o7777, radix: 8) }

  private static func finding(_ check: JSONValue, _ status: String, _ message: String, _ advice: String?) -> JSONValue {
    let all: [(String, JSONValue?)] = [
      ("check", check), ("status", JSONValue(status)), ("message", JSONValue(message)),
      ("advice", advice.map { JSONValue($0) }),
    ]
    return JSONValue(object: all.compactMap { name, value in value.map { (name, $0) } })
  }
}
