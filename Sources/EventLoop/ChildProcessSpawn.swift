internal import CLinux
internal import Glibc

/// Starts programs with everything set that they would otherwise inherit by accident, and their limits in force.
///
/// Not fork: in a program with threads the child of a fork may touch next to nothing before exec.
enum ChildProcessSpawn {
  /// A child that stops reading must not kill the agent, and an inherited `SIG_IGN` for `SIGCHLD` would take away the
  /// children's exit codes.
  private static let dispositions: Void = {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGCHLD, SIG_DFL)
  }()

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: What to run.
  ///   - input: Its standard input, above the standard three; `nil` for `/dev/null`, as for the other two.
  ///   - output: Its standard output.
  ///   - error: Its standard error.
  /// - Returns: The number of the process, which leads a group of its own.
  /// - Throws: What the system says, with the call that failed; execve and chdir are about the command.
  static func start(
    _ command: ChildProcess.Command, input: CInt?, output: CInt?, error: CInt?
  ) throws(SystemError) -> pid_t {
    _ = dispositions
    let environment = command.environment.map { "\($0.key)=\($0.value)" }
    let texts = command.arguments + environment + (command.directory.map { [$0] } ?? [])
    guard let program = command.arguments.first, !texts.contains(where: { $0.utf8.contains(0) }) else {
      throw SystemError(EINVAL, "execve")
    }

    var child = ringi_child()
    child.streams = (input ?? -1, output ?? -1, error ?? -1)
    child.memory = command.limits.memory ?? 0
    child.cpu = command.limits.cpu ?? 0
    child.files = command.limits.files ?? 0
    let directory = command.directory.map { strdup($0) }
    defer { free(directory ?? nil) }
    child.directory = UnsafePointer(directory ?? nil)
    let process = withCStrings(paths(of: program)) { paths in
      withCStrings(command.arguments) { arguments in
        withCStrings(environment) { environment in
          (child.paths, child.arguments, child.environment) = (paths, arguments, environment)
          return ringi_child_start(&child)
        }
      }
    }
    guard process > 0 else { throw SystemError(child.error, child.call.map { String(cString: $0) } ?? "clone") }
    return process
  }

  /// Where a program may be: a name without a slash is looked for in `PATH`.
  private static func paths(of program: String) -> [String] {
    guard !program.isEmpty, !program.utf8.contains(UInt8(ascii: "/")) else { return [program] }
    let path = getenv("PATH").map { String(cString: $0) } ?? "/bin:/usr/bin"
    // Nothing between two colons stands for the working directory.
    return path.split(separator: ":", omittingEmptySubsequences: false).map {
      $0.isEmpty ? "./\(program)" : "\($0)/\(program)"
    }
  }

  private static func withCStrings<R>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> R
  ) -> R {
    let pointers = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers)
  }
}
