internal import CLinux
internal import Glibc

extension ChildProcess {
  /// How a program ended.
  public enum ExitStatus: Hashable, Sendable, CustomStringConvertible {
    /// By itself, with a code from 0 to 255; -1 when something else in this process took the code away.
    case exited(Int32)
    /// By a signal.
    case signalled(Int32)

    /// Whether the program says that all went well.
    public var isSuccess: Bool { self == .exited(0) }

    public var description: String {
      switch self {
      case .exited(let code): "exit status \(code)"
      case .signalled(let number): "signal \(number)"
      }
    }

    /// Asks the system; `nil` while the program runs.
    init?(of child: pid_t, leavingZombie: Bool) {
      var (signal, code): (CInt, CInt) = (0, 0)
      switch ringi_child_status(child, leavingZombie ? WNOWAIT : 0, &signal, &code) {
      case 0: return nil
      case 1: self = signal == 0 ? .exited(code) : .signalled(signal)
      default: self = .exited(-1)
      }
    }
  }
}
