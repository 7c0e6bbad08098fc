internal import CLinux
package import EventLoop
internal import Glibc
internal import JSON
package import RingiKit
internal import Text

/// The agent's log, on standard error: one line an entry, as text or as JSON.
///
/// A reader that doesn't keep up loses lines, and is told how many; the agent never waits for it.
@Loop
package final class Log {
  package typealias Level = ProviderContext.LogLevel

  package enum Format: String, Sendable, CaseIterable { case text, json }

  package var level: Level
  package var format: Format
  private let fileDescriptor: CInt
  private let clock: any LoopClock
  private let redactor: Redactor
  private var lost = 0

  package init(
    level: Level = .info, format: Format = .text, fileDescriptor: CInt = 2, clock: any LoopClock, redactor: Redactor
  ) {
    self.level = level
    self.format = format
    self.fileDescriptor = fileDescriptor
    self.clock = clock
    self.redactor = redactor
  }

  /// Writes an entry.
  ///
  /// - Parameters:
  ///   - level: Its weight; entries below the log's own level are dropped.
  ///   - scope: What it is about: a plugin instance, a hook, `agent`.
  ///   - message: One sentence; control characters are shown, secrets are not.
  package func write(_ level: Level, _ scope: String, _ message: String) {
    guard level >= self.level else { return }
    if lost > 0, isWritable {
      let count = lost
      lost = 0
      put(line(.warning, "log", "\(count) lines were lost because nobody read them."))
    }
    guard isWritable else { return lost += 1 }
    put(line(level, scope, redactor.redact(message)))
  }

  private func line(_ level: Level, _ scope: String, _ message: String) -> [UInt8] {
    let time = clock.now.rfc3339
    switch format {
    case .text: return Array("\(time) \(level.rawValue) \(scope): \(visible(message))\n".utf8)
    case .json:
      let entry: JSONValue = [
        "time": JSONValue(time), "level": JSONValue(level.rawValue), "scope": JSONValue(scope),
        "message": JSONValue(message),
      ]
      return entry.utf8 + [0x0A]
    }
  }

  private var isWritable: Bool {
    var poll = pollfd(fd: fileDescriptor, events: Int16(POLLOUT), revents: 0)
    return Glibc.poll(&poll, 1, 0) == 1 && poll.revents & Int16(POLLOUT) != 0
  }

  /// A pipe that is writable takes 4096 bytes without blocking; longer lines go in as many pieces as find room.
  private func put(_ bytes: [UInt8]) {
    for start in stride(from: 0, to: bytes.count, by: 4096) where start == 0 || isWritable {
      _ = bytes[start..<min(bytes.count, start + 4096)].withUnsafeBytes {
        Glibc.write(fileDescriptor, $0.baseAddress, $0.count)
      }
    }
  }
}
