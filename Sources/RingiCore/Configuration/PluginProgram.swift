internal import CLinux
internal import Glibc
internal import JSON

/// The program of a plugin instance, as its file describes it.
package struct PluginProgram: Equatable, Sendable {
  /// A file that the command names, as it was when the configuration was read.
  package struct Stamp: Equatable, Sendable {
    let device: UInt
    let inode: UInt
    let size: Int
    let seconds: Int
    let nanoseconds: Int

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  package let command: [String]
  package let dialect: PluginProtocol
  /// Globs over the methods that it may call; `nil` for the usual ones.
  package let allow: [Glob]?
  /// What a server of the Model Context Protocol is answered that wants to ask somebody; `nil` for nothing.
  package let elicitation: MCPElicitation?
  package let environment: [String: String]
  package let limits: ProcessLimits
  /// What the command's words name in the file's folder: a program that was replaced makes another plugin.
  private let stamps: [Stamp?]

  /// Whether it is the same program, whatever else its file says of it.
  func hasSameCode(as other: PluginProgram) -> Bool {
    command == other.command && dialect == other.dialect && stamps == other.stamps
  }

  init(_ value: JSONValue, _ limits: ProcessLimits, in directory: String) {
    command = value["command"]?.array?.compactMap(\.string) ?? []
    dialect = value["protocol"]?.string.flatMap(PluginProtocol.init) ?? .ringi
    allow = value["allow"]?.array?.compactMap { $0.string.map { Glob($0) } }
    elicitation = value["elicitation"].map { MCPElicitation($0) }
    environment = EnvironmentVariables.read(value["env"])
    self.limits = limits
    stamps = command.map { Stamp($0.hasPrefix("/") ? $0 : "\(directory)/\($0)") }
  }
}
