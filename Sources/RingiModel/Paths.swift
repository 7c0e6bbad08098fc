internal import Glibc

/// Where the agent's folders and socket are, unless the command line says.
package struct Paths: Hashable, Sendable {
  package let config: String
  package let state: String
  package let socket: String

  /// Works the paths out.
  ///
  /// - Parameters:
  ///   - config: `--config`.
  ///   - state: `--state`.
  ///   - environment: The process' environment; an empty variable counts as none, and so does one of XDG's that holds a
  ///     relative path, as the XDG Base Directory Specification has it.
  ///   - exists: Whether there is something at a path.
  package init(
    config: String? = nil, state: String? = nil, environment: [String: String],
    exists: (String) -> Bool = { access($0, F_OK) == 0 }
  ) {
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    func base(_ name: String) -> String? { variable(name).flatMap { $0.hasPrefix("/") ? "\($0)/ringi" : nil } }
    let home = variable("HOME") ?? Self.homeOfUser
    let own = "\(home)/.config/ringi"
    self.config =
      config ?? variable("RINGI_CONFIG") ?? base("XDG_CONFIG_HOME") ?? (exists(own) ? own : "/etc/ringi")
    self.state = state ?? variable("RINGI_STATE") ?? base("XDG_STATE_HOME") ?? "\(home)/.local/state/ringi"
    socket = variable("RINGI_SOCKET") ?? "\(base("XDG_RUNTIME_DIR") ?? self.state)/agent.sock"
  }

  /// The home of the process' user as the user database has it.
  private static var homeOfUser: String {
    var entry = passwd()
    var buffer = [CChar](repeating: 0, count: 16 << 10)
    var found: UnsafeMutablePointer<passwd>?
    guard getpwuid_r(getuid(), &entry, &buffer, buffer.count, &found) == 0, found != nil else { return "/" }
    return String(cString: entry.pw_dir)
  }
}
