/// The environment of a plugin's program.
enum PluginEnvironment {
  private static let names: Set<String> = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR"]
  private static let prefixes = ["LC_", "XDG_"]

  /// The part of the agent's own environment that plugins get.
  static func base(of environment: [String: String]) -> [String: String] {
    environment.filter { name, _ in names.contains(name) || prefixes.contains { name.hasPrefix($0) } }
  }
}
