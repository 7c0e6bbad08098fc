internal import EventLoop
internal import Glibc

/// The one agent's hold on its state directory, which the kernel lets go of however the agent ends.
package final class StateLock: Sendable {
  /// Another agent holds the directory.
  package struct Held: Error, Equatable, CustomStringConvertible {
    package let directory: String
    /// The holder's process id, as it wrote it down.
    package let holder: String

    package var description: String {
      "The state directory \(directory) belongs to a running agent (pid \(holder)); talk to that one (`ringi`, or its socket), stop it first, or give this one another --state."
    }
  }

  static let name = "agent.lock"

  private let descriptor: CInt

  /// Takes hold of a directory.
  ///
  /// - Parameter directory: An existing directory.
  /// - Throws: ``Held``, or `SystemError` when the lock's file can't be made.
  package init(directory: String) throws {
    let path = "\(directory)/\(Self.name)"
    // What somebody else has put there is not written to.
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw SystemError.last("open \(path)") }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let holder = Self.contents(of: descriptor)
      close(descriptor)
      throw Held(directory: directory, holder: holder.isEmpty ? "unknown" : holder)
    }
    let text = "\(getpid())\n"
    ftruncate(descriptor, 0)
    _ = pwrite(descriptor, text, text.utf8.count, 0)
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  private static func contents(of descriptor: CInt) -> String {
    var buffer = [UInt8](repeating: 0, count: 32)
    let count = pread(descriptor, &buffer, buffer.count, 0)
    return String(decoding: buffer.prefix(max(0, count)).filter { $0 > 0x20 }, as: UTF8.self)
  }
}
