internal import CLinux
internal import EventLoop
internal import Glibc
internal import JSON
internal import Timing

/// What a plugin's program may use, by setrlimit(2); `limits` of plugins.d.
package struct ProcessLimits: Equatable, Sendable {
  /// Bytes of address space.
  package var memory: Int64?
  /// Time on a processor, all in all.
  package var cpu: Duration?
  /// Open descriptors.
  package var files: Int64?

  static let schema = Schema.object([
    "memory": .integer("Its address space, in bytes.", (1 << 20)...(1 << 50)),
    "cpu": .duration("Its time on a processor, all in all; whole seconds."),
    "files": .integer("Its open files.", 8...1_048_576),
  ]).described("What the program of a `command` may use, each process of it for itself; no limits without.")

  static func read(_ file: inout ConfigurationFile) -> ProcessLimits {
    let value = file.value["limits"]
    return ProcessLimits(
      memory: value?["memory"]?.int, cpu: file.positiveDuration(at: JSONPointer(tokens: ["limits", "cpu"])),
      files: value?["files"]?.int)
  }

  /// Puts the limits into force for a program that has just been started.
  ///
  /// - Parameter process: Its number.
  /// - Throws: `SystemError`; a program that has ended already is no error.
  func apply(to process: Int32) throws(SystemError) {
    if let memory { try check(ringi_limit_memory(process, UInt(memory))) }
    if let cpu { try check(ringi_limit_cpu(process, UInt(max(1, cpu.components.seconds)))) }
    if let files { try check(ringi_limit_files(process, UInt(files))) }
  }

  private func check(_ result: CInt) throws(SystemError) {
    if result != 0, errno != ESRCH { throw SystemError.last("prlimit") }
  }
}
