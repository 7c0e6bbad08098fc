/// What `ringi` tells the shell that started it: 0, or why not, in the numbers of sysexits(3) where one fits.
package enum ExitCode: Int32, Sendable {
  /// Done.
  case success = 0
  /// The agent answered with an error that has no code of its own here, such as a backend's refusal.
  case refused = 1
  /// The command line makes no sense (EX_USAGE).
  case usage = 64
  /// The agent does not take the parameters (EX_DATAERR).
  case invalidParameters = 65
  /// No such task, job, hook, plugin or method (EX_NOINPUT).
  case notFound = 66
  /// No agent answers at the socket, or it went away (EX_UNAVAILABLE).
  case agentUnreachable = 69
  /// The agent failed inside (EX_SOFTWARE).
  case internalError = 70
  /// Already decided otherwise, or changed since it was looked at (EX_CANTCREAT).
  case conflict = 73
  /// The output could not be written (EX_IOERR).
  case output = 74
  /// Not now, later perhaps: backend or plugin out of reach, agent overloaded, no answer in time (EX_TEMPFAIL).
  case temporary = 75
  /// What happened is unknown: a write without an answer, or an answer that is none (EX_PROTOCOL).
  case unknownOutcome = 76
  /// Not allowed on this socket, or the backend wants a login (EX_NOPERM).
  case notPermitted = 77
}
