internal import Glibc

/// Where the agent listens.
enum SocketPath {
  /// What `sun_path` holds besides the closing NUL.
  static let limit = 107

  /// Returns `option`, else the agent's own default.
  ///
  /// That is $RINGI_SOCKET, $XDG_RUNTIME_DIR/ringi/agent.sock, and at last agent.sock in the state directory. An empty
  /// variable counts as unset.
  ///
  /// - Throws: `Failure` when nothing tells, or the path is longer than a socket's may be.
  static func resolve(_ option: String?, environment: (String) -> String?) throws(Failure) -> String {
    guard let path = option ?? fromEnvironment(environment) else {
      throw .usage("Nothing tells where the agent's socket is.", advice: "Name it with --socket PATH or RINGI_SOCKET.")
    }
    guard path.utf8.count <= limit else {
      throw Failure(
        .agentUnreachable,
        "The socket's path is \(path.utf8.count) bytes long, and the kernel takes \(limit) at most: \(path)",
        advice: ["Let the agent listen at a shorter path, and name it with --socket or RINGI_SOCKET."])
    }
    return path
  }

  private static func fromEnvironment(_ environment: (String) -> String?) -> String? {
    func value(_ name: String) -> String? {
      environment(name).flatMap { $0.isEmpty ? nil : $0 }
    }
    if let path = value("RINGI_SOCKET") { return path }
    if let directory = value("XDG_RUNTIME_DIR") { return directory + "/ringi/agent.sock" }
    if let directory = value("RINGI_STATE") { return directory + "/agent.sock" }
    if let directory = value("XDG_STATE_HOME") { return directory + "/ringi/agent.sock" }
    return value("HOME").map { $0 + "/.local/state/ringi/agent.sock" }
  }
}
