/// An option of the command line, `--name` or `--name VALUE`.
struct Option: Sendable {
  let name: String
  /// What stands for the value in help; nil for an option without one.
  var value: String?
  let help: String
  /// Whether it may be given more than once.
  var isRepeatable = false
}

extension Option {
  /// The options that every command takes.
  static let global: [Option] = [
    Option(
      name: "socket", value: "PATH", help: "the agent's socket (default: $RINGI_SOCKET, else the agent's own default)"),
    Option(name: "json", help: "print the result as JSON"),
    Option(
      name: "timeout", value: "DURATION",
      help: "how long to wait for an answer: 500ms, 30s, 5m (default 90s; 0s for ever)"),
    Option(name: "color", value: "WHEN", help: "auto, always or never (auto: on a terminal, unless NO_COLOR is set)"),
    Option(name: "help", help: "explain the command, with examples"),
    Option(name: "version", help: "print the version"),
  ]
}
