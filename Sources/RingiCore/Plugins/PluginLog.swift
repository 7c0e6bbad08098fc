internal import EventLoop
internal import JSON
internal import RingiKit
internal import Timing

/// The last lines about one plugin instance: what it wrote to its standard error, what it logged, what the agent says of
/// it.
@Loop
final class PluginLog {
  private struct Line {
    let number: Int
    let time: Timestamp
    let level: ProviderContext.LogLevel
    let message: String
  }

  /// The most that is kept; the oldest line goes first.
  nonisolated static let maxLines = 500
  nonisolated static let maxBytes = 128 << 10

  private var lines: [Line] = []
  private var bytes = 0
  /// The newest line's number, which goes on after ``clear()``, so that no number comes twice.
  private var last = 0

  /// Takes a line.
  ///
  /// - Parameters:
  ///   - level: Its weight.
  ///   - message: The line, with secrets taken out.
  ///   - time: When it was written.
  func append(_ level: ProviderContext.LogLevel, _ message: String, at time: Timestamp) {
    last += 1
    // A line that fills the log by itself is cut.
    let message = message.utf8.count > Self.maxBytes ? message.prefix(bytes: Self.maxBytes) : message
    lines.append(Line(number: last, time: time, level: level, message: message))
    bytes += message.utf8.count
    while lines.count > Self.maxLines || bytes > Self.maxBytes { bytes -= lines.removeFirst().message.utf8.count }
  }

  func clear() { (lines, bytes) = ([], 0) }

  /// Some of the lines, oldest first.
  ///
  /// - Parameters:
  ///   - number: The first lines after this one, instead of the newest; a number that is still to come is of an earlier
  ///     run of the agent, and means all.
  ///   - limit: The most lines.
  /// - Returns: An array of them, each with `number`, `time`, `level` and `message`.
  func list(after number: Int?, limit: Int) -> JSONValue {
    guard let number else { return Self.json(lines.suffix(limit)) }
    let place = number > last ? 0 : lines.firstIndex { $0.number > number } ?? lines.count
    return Self.json(lines[place...].prefix(limit))
  }

  private static func json(_ lines: ArraySlice<Line>) -> JSONValue {
    JSONValue(
      array: lines.map { line in
        [
          "number": JSONValue(line.number), "time": JSONValue(line.time.rfc3339),
          "level": JSONValue(line.level.rawValue), "message": JSONValue(line.message),
        ]
      })
  }
}
