internal import Glibc

/// Why a program could not be started.
public struct ChildProcessError: Error, Hashable, CustomStringConvertible {
  public enum Reason: Hashable, Sendable {
    /// There was nothing to run, or a text held a NUL character.
    case malformed
    /// There is no such program.
    case notFound
    /// The file is there and is no program, or not for us.
    case notExecutable
    /// The working directory can't be entered.
    case directory(String)
    /// The machine's limits, mostly.
    case system(SystemError)
  }

  /// The program as it was given.
  public let command: String
  public let reason: Reason

  init(_ command: ChildProcess.Command, _ cause: SystemError) {
    self.command = command.arguments.first ?? ""
    reason = Self.reason(command, cause)
  }

  private static func reason(_ command: ChildProcess.Command, _ cause: SystemError) -> Reason {
    if cause.call == "chdir", let directory = command.directory { return .directory(directory) }
    guard cause.call == "execve" else { return .system(cause) }
    switch cause.code {
    case EINVAL: return .malformed
    case ENOENT, ENOTDIR: return .notFound
    case EACCES, ENOEXEC, EPERM, EISDIR: return .notExecutable
    default: return .system(cause)
    }
  }

  /// One sentence that names the command and says what to do.
  public var description: String {
    switch reason {
    case .malformed: "The command \"\(command)\" is empty or holds a NUL character."
    case .notFound:
      "The command \(command) was not found\(command.contains("/") ? "" : " in PATH"), or the interpreter in its first line was not."
    case .notExecutable:
      "The command \(command) can't be run: it needs the permission to execute and, if it is a script, a first line with #!."
    case .directory(let directory):
      "The command \(command) can't be run in \(directory): there is no such folder for us."
    case .system(let error): "The command \(command) can't be run: \(error)."
    }
  }
}
