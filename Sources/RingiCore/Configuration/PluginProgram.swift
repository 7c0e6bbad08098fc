internal import NativeLibrary
internal import JSON

/// The program of a plugin instance, as its file describes it.
package struct PluginProgram: Equatable, Sendable {
  package let command: [String]
  package let dialect: PluginProtocol
  /// What a server of the Model Context Protocol is answered that wants to ask somebody; `nil` for nothing.
  package let elicitation: MCPElicitation?
  package let environment: [String: String]
  package let limits: ProcessLimits
  /// What the command's words name in the file's folder: a program that was replaced makes another plugin.
  private let stamps: [FileStamp?]

  /// Whether it is the same program, whatever else its file says of it.
  func hasSameCode(as other: PluginProgram) -> Bool {
    command == other.command && dialect == other.dialect && stamps == other.stamps
  }

  init(_ value: JSONValue, _ limits: ProcessLimits, in directory: String) {
    command = value["command"]?.array?.compactMap(\.string) ?? []
    dialect = value["protocol"]?.string.flatMap(PluginProtocol.init) ?? .ringi
    elicitation = value["elicitation"].map { MCPElicitation($0) }
    environment = EnvironmentVariables.read(value["env"])
    self.limits = limits
    stamps = command.map { FileStamp($0.hasPrefix("/") ? $0 : "\(directory)/\($0)") }
  }
}
