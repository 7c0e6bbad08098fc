internal import CLinux
internal import Glibc

/// posix_spawn(3) with everything set that a child would otherwise inherit by accident.
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
  /// - Throws: What the system says; what posix_spawn says of the command bears that name.
  static func start(
    _ command: ChildProcess.Command, input: CInt?, output: CInt?, error: CInt?
  ) throws(SystemError) -> pid_t {
    _ = dispositions
    let environment = command.environment.map { "\($0.key)=\($0.value)" }
    let texts = command.arguments + environment + (command.directory.map { [$0] } ?? [])
    guard let program = command.arguments.first, !texts.contains(where: { $0.utf8.contains(0) }) else {
      throw SystemError(EINVAL, "posix_spawn")
    }

    var actions = posix_spawn_file_actions_t()
    try check(posix_spawn_file_actions_init(&actions), "posix_spawn_file_actions_init")
    defer { posix_spawn_file_actions_destroy(&actions) }
    try add(to: &actions, [input, output, error], command.directory)

    var attributes = posix_spawnattr_t()
    try check(posix_spawnattr_init(&attributes), "posix_spawnattr_init")
    defer { posix_spawnattr_destroy(&attributes) }
    try set(&attributes)

    var child: pid_t = 0
    let result = withCStrings(command.arguments) { arguments in
      withCStrings(environment) { environment in
        posix_spawnp(&child, program, &actions, &attributes, arguments, environment)
      }
    }
    try check(result, "posix_spawn")
    return child
  }

  private static func add(
    to actions: inout posix_spawn_file_actions_t, _ streams: [CInt?], _ directory: String?
  ) throws(SystemError) {
    for (number, stream) in streams.enumerated() {
      let number = CInt(number)
      if let stream {
        try check(posix_spawn_file_actions_adddup2(&actions, stream, number), "posix_spawn_file_actions_adddup2")
      } else {
        let mode = number == STDIN_FILENO ? O_RDONLY : O_WRONLY
        let result = posix_spawn_file_actions_addopen(&actions, number, "/dev/null", mode, 0)
        try check(result, "posix_spawn_file_actions_addopen")
      }
    }
    // Descriptors of ours are close-on-exec; those of libraries may not be.
    let result = posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    try check(result, "posix_spawn_file_actions_addclosefrom_np")
    guard let directory else { return }
    try check(posix_spawn_file_actions_addchdir_np(&actions, directory), "posix_spawn_file_actions_addchdir_np")
  }

  private static func set(_ attributes: inout posix_spawnattr_t) throws(SystemError) {
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    try check(posix_spawnattr_setsigmask(&attributes, &none), "posix_spawnattr_setsigmask")
    try check(posix_spawnattr_setsigdefault(&attributes, &all), "posix_spawnattr_setsigdefault")
    try check(posix_spawnattr_setpgroup(&attributes, 0), "posix_spawnattr_setpgroup")
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    try check(posix_spawnattr_setflags(&attributes, Int16(flags)), "posix_spawnattr_setflags")
  }

  /// These functions return the error instead of setting `errno`.
  private static func check(_ result: CInt, _ call: String) throws(SystemError) {
    if result != 0 { throw SystemError(result, call) }
  }

  private static func withCStrings<R>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> R
  ) -> R {
    let pointers = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers)
  }
}
