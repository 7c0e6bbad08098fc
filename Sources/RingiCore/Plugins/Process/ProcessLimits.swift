internal import EventLoop
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

  /// The limits as a child gets them.
  var ofChild: ChildProcess.Limits {
    ChildProcess.Limits(
      memory: memory.map { UInt($0) }, cpu: cpu.map { UInt(max(1, $0.components.seconds)) },
      files: files.map { UInt($0) })
  }
}
