public import JSON

/// A setting whose value is never shown: the value itself, or where to read it.
public struct Secret: Sendable, Hashable, CustomStringConvertible {
  /// Where the value is.
  package enum Origin: Sendable, Hashable {
    case value(String)
    /// A variable of the agent's environment.
    case environment(String)
    /// A file; one newline at its end is no part of the value.
    case file(String)
    /// A command whose standard output is the value, less one newline at its end.
    case command([String])
    /// A file of systemd's `$CREDENTIALS_DIRECTORY`.
    case credential(String)
  }

  package let origin: Origin

  /// Reads a setting.
  ///
  /// - Parameter setting: A string, or one of `{"env"}`, `{"file"}`, `{"command"}`, `{"credential"}`; anything else is
  ///   `nil`.
  public init?(_ setting: JSONValue) {
    if let value = setting.string {
      origin = .value(value)
    } else if let name = setting["env"]?.string {
      origin = .environment(name)
    } else if let path = setting["file"]?.string {
      origin = .file(path)
    } else if let command = setting["command"]?.array {
      origin = .command(command.compactMap(\.string))
    } else if let name = setting["credential"]?.string {
      origin = .credential(name)
    } else {
      return nil
    }
  }

  /// Where the value is; never the value.
  public var description: String {
    switch origin {
    case .value: "(a secret)"
    case .environment(let name): "the environment variable \(name)"
    case .file(let path): "the file \(path)"
    case .command(let command): "the command \(command.first ?? "")"
    case .credential(let name): "the credential \(name)"
    }
  }
}
