internal import Glibc

/// The person's browser.
enum Browser {
  /// Opens a page by the desktop's own program.
  ///
  /// - Returns: Whether there is such a program; what it does is not waited for.
  static func open(_ page: String) -> Bool {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // What it says is not for this program's output.
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("xdg-open"), strdup(page), nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    return posix_spawnp(&process, "xdg-open", &actions, nil, &arguments, environ) == 0
  }
}
