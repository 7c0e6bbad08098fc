internal import CLinux
internal import EventLoop
internal import Glibc
internal import RingiKit

/// The disk that holds the agent's state.
///
/// Everything here may wait for it.
enum StateDisk {
  /// What makes somebody see to it in time.
  private static let little: UInt64 = 128 << 20
  /// What the store may need for the next few commits.
  private static let least: UInt64 = 8 << 20
  private static let fewFiles: UInt64 = 1000

  /// Looks whether it can be written, and how much there is left.
  ///
  /// - Parameter directory: The state directory.
  /// - Returns: What was found.
  static func check(_ directory: String) -> [Finding] {
    if let error = writeFault(directory) {
      let isFull = [ENOSPC, EDQUOT].contains(error.code)
      return [
        Finding(
          .disk, .problem, "\(directory) can't be written (\(error)): nothing can be recorded",
          advice: isFull ? "Free some space there. \(StoreTrouble.consequence)" : "Make it writable for the agent.")
      ]
    }
    var status = statvfs()
    guard statvfs(directory, &status) == 0 else {
      return [
        Finding(
          .disk, .problem, "\(SystemError.last("statvfs \(directory)"))", advice: "See to the disk, or its mount.")
      ]
    }
    return [space(status, directory)] + files(status, directory)
  }

  private static func space(_ status: statvfs, _ directory: String) -> Finding {
    let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    let message = "\(bytes(free)) free for \(directory)"
    guard free < little else { return Finding(.disk, .ok, message) }
    return Finding(
      .disk, free < least ? .problem : .warning, "only \(message)",
      advice:
        "Free some space, or keep fewer events (retention in ringi.json). When it is full nothing new is decided, "
        + "and no event is published.")
  }

  /// Some file systems know no number.
  private static func files(_ status: statvfs, _ directory: String) -> [Finding] {
    guard status.f_files > 0, UInt64(status.f_favail) < fewFiles else { return [] }
    return [
      Finding(
        .disk, status.f_favail < 10 ? .problem : .warning,
        "only \(status.f_favail) more files can be made on the disk of \(directory) (inodes)",
        advice: "Delete files there that nobody needs: `df -i \(directory)`.")
    ]
  }

  /// Why a block can't be written; the file that it goes to has no name, and nothing is left of it.
  private static func writeFault(_ directory: String) -> SystemError? {
    let file = ringi_open_nameless(directory)
    guard file >= 0 else {
      let error = SystemError.last("open")
      // Not every file system has files without names.
      guard [EOPNOTSUPP, EISDIR, EINVAL].contains(error.code) else { return error }
      return faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) == 0 ? nil : .last("access")
    }
    defer { close(file) }
    let block = [UInt8](repeating: 0, count: 4096)
    guard write(file, block, block.count) == block.count, fdatasync(file) == 0 else { return .last("write") }
    return nil
  }

  private static func bytes(_ count: UInt64) -> String {
    switch count {
    case ..<(10 << 20): "\(count >> 10) KiB"
    case ..<(10 << 30): "\(count >> 20) MiB"
    default: "\(count >> 30) GiB"
    }
  }
}
