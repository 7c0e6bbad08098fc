internal import CLinux
internal import EventLoop
internal import Glibc
internal import RingiKit

/// Who may do what with files and folders.
///
/// Everything here may wait for the disk.
enum FileModes {
  /// What others may not do with a file.
  struct Rule: Sendable {
    let path: String
    /// What it is: "the configuration", "the secret password".
    let what: String
    /// The permissions that nobody else may have; 0o022 for writing.
    var forbidden: UInt32 = 0o022
    /// Those among them that a group may have for a reason: merely worth a warning.
    var doubtful: UInt32 = 0o020

    init(_ path: String, _ what: String, forbidden: UInt32 = 0o022, doubtful: UInt32 = 0o020) {
      (self.path, self.what, self.forbidden, self.doubtful) = (path, what, forbidden, doubtful)
    }
  }

  /// What is wrong with files; a file that is not there is none of the matters here.
  static func check(_ rules: [Rule]) -> [Finding] {
    var folders: [Finding] = []
    let own = Set(rules.map(\.path))
    for finding in rules.flatMap({ openFolders(above: $0.path, but: own) }) where !folders.contains(finding) {
      folders.append(finding)
    }
    return folders + rules.flatMap(breaches)
  }

  /// Whoever may change a folder may put another file in the place of one in it, unless it is sticky.
  ///
  /// - Parameters:
  ///   - path: A file or folder.
  ///   - own: Folders that have a rule of their own.
  /// - Returns: The folders above it that everybody may change.
  private static func openFolders(above path: String, but own: Set<String>) -> [Finding] {
    var found: [Finding] = []
    var folder = path[...]
    while let slash = folder.dropLast().lastIndex(of: "/") {
      folder = folder[...slash]
      var status = stat()
      guard !own.contains(String(folder.dropLast())), stat(String(folder), &status) == 0 else { continue }
      let mode = UInt32(status.st_mode) & 0o7777
      guard mode & 0o1002 == 0o002 else { continue }
      found.append(
        Finding(
          .permissions, .problem, "everybody on this machine may replace what is in \(folder)",
          advice: "Close it: `chmod \(octal(mode & ~0o022)) \(folder)`."))
    }
    return found
  }

  private static func breaches(_ rule: Rule) -> [Finding] {
    var status = stat()
    guard stat(rule.path, &status) == 0 else { return [] }
    var found: [Finding] = []
    let mode = UInt32(status.st_mode) & 0o7777
    let excess = mode & rule.forbidden
    if excess != 0 {
      found.append(
        Finding(
          .permissions, excess & ~rule.doubtful == 0 ? .warning : .problem,
          "\(others(excess)) may \(deeds(excess)) \(rule.what), \(rule.path)",
          advice: "Close it: `chmod \(octal(mode & ~rule.forbidden)) \(rule.path)`."))
    }
    if status.st_uid != geteuid(), status.st_uid != 0 {
      found.append(
        Finding(
          .permissions, .warning, "\(rule.what), \(rule.path), belongs to \(user(status.st_uid)), who may change it",
          advice: "Make it the agent's own: `chown \(user(geteuid())) \(rule.path)`."))
    }
    return found
  }

  /// Checks that a socket is there and lets in who it should.
  static func check(socket path: String, mode: UInt32) -> [Finding] {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
      return [
        Finding(
          .permissions, .problem, "the socket \(path) is gone, and no new client can connect there",
          advice: "Restart the agent, which makes it again, and see what removes it.")
      ]
    }
    let found = UInt32(status.st_mode) & 0o777
    guard found != mode else { return [] }
    return [
      Finding(
        .permissions, found & ~mode == 0 ? .warning : .problem,
        "the socket \(path) has the mode \(octal(found)) and not \(octal(mode))",
        advice: "Put it right: `chmod \(octal(mode)) \(path)`.")
    ]
  }

  /// Checks that a program or a library can be used.
  ///
  /// - Parameters:
  ///   - candidates: Where it may be.
  ///   - mode: `X_OK` or `R_OK`.
  ///   - advice: What to do when it is nowhere.
  /// - Returns: What was found.
  static func check(program candidates: [String], _ mode: CInt, advice: String) -> Finding {
    let isRun = mode == X_OK
    for path in candidates {
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      if faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 { return Finding(.program, .ok, path) }
      return Finding(
        .program, .problem, "\(SystemError.last(isRun ? "run \(path)" : "read \(path)"))",
        advice: "Allow it: `chmod \(isRun ? "+x" : "+r") \(path)`.")
    }
    let name = candidates.first.map { candidates.count > 1 ? "program of that name in PATH" : $0 } ?? "program"
    return Finding(.program, .problem, "there is no \(name)", advice: advice)
  }

  // MARK: Words

  private static func others(_ mode: UInt32) -> String { mode & 0o007 != 0 ? "everybody on this machine" : "its group" }

  private static func deeds(_ mode: UInt32) -> String {
    if mode & 0o022 != 0 { return mode & 0o044 != 0 ? "read and change" : "change" }
    return mode & 0o044 != 0 ? "read" : "enter"
  }

  private static func octal(_ mode: UInt32) -> String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: max(4 - digits.count, 0)) + digits
  }

  private static func user(_ id: uid_t) -> String { SystemUser.name(of: id) ?? String(id) }
}
