internal import CLinux
internal import Glibc

/// Signals as a source of the loop, through signalfd(2).
@Loop
public final class SignalSource {
  private let fileDescriptor: CInt
  private var descriptor: Descriptor?

  /// Keeps signals from their default actions in the calling thread and in all threads it starts later.
  ///
  /// Call it first in `main`, before any thread exists.
  ///
  /// - Parameter signals: Signal numbers.
  public nonisolated static func block(_ signals: [CInt]) {
    var set = set(of: signals)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Begins to receive signals that were blocked before.
  ///
  /// - Parameters:
  ///   - signals: Signal numbers.
  ///   - handler: Called with the number of each signal received.
  /// - Throws: ``SystemError`` when no descriptor is left.
  public init(_ signals: [CInt], handler: @escaping @Loop (CInt) -> Void) throws(SystemError) {
    var set = Self.set(of: signals)
    let fileDescriptor = signalfd(-1, &set, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
    self.fileDescriptor = fileDescriptor
    guard fileDescriptor >= 0 else { throw SystemError.last("signalfd") }
    do throws(SystemError) {
      descriptor = try Descriptor(fileDescriptor, interest: .readable) { _ in
        var info = signalfd_siginfo()
        while read(fileDescriptor, &info, MemoryLayout<signalfd_siginfo>.size) > 0 {
          handler(CInt(info.ssi_signo))
        }
      }
    } catch {
      close(fileDescriptor)
      throw error
    }
  }

  /// Stops receiving.
  public func cancel() {
    descriptor?.cancel()
    descriptor = nil
    close(fileDescriptor)
  }

  private nonisolated static func set(of signals: [CInt]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
