internal import Glibc

/// The program `ringid`, which does the work of some commands.
enum AgentProgram {
  /// Becomes `ringid`: the one beside this program, else the one on the PATH.
  ///
  /// - Parameter arguments: What follows the program's name.
  /// - Throws: `Failure` with `.notFound`; it doesn't return otherwise.
  static func become(_ arguments: [String]) throws(Failure) {
    var words = (["ringid"] + arguments).map { strdup($0) } + [nil]
    if let program = beside("ringid") { execv(program, &words) } else { execvp("ringid", &words) }
    let error = errno
    for word in words { free(word) }
    throw Failure(
      .notFound, "ringid could not be started: \(SystemMessage.text(error)).",
      advice: ["It does the work; put it beside ringi or on the PATH."])
  }

  /// A program that lies where this one does.
  private static func beside(_ name: String) -> String? {
    guard let own = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(own) }
    let path = String(cString: own)
    guard let slash = path.lastIndex(of: "/") else { return nil }
    let other = "\(path[...slash])\(name)"
    return access(other, X_OK) == 0 ? other : nil
  }
}
