internal import CLinux
internal import Glibc

/// What a process holds in memory.
enum ProcessMemory {
  /// The resident memory of a process in bytes, shared pages included; `nil` when there is no such process.
  ///
  /// - SeeAlso: proc_pid_statm(5), the second field.
  static func resident(of process: Int32) -> Int? {
    let file = open("/proc/\(process)/statm", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var text = [UInt8](repeating: 0, count: 128)
    let count = read(file, &text, text.count)
    guard count > 0 else { return nil }
    let fields = String(decoding: text[..<count], as: UTF8.self).split(separator: " ")
    return fields.count > 1 ? Int(fields[1]).map { $0 * sysconf(CInt(_SC_PAGESIZE)) } : nil
  }
}
