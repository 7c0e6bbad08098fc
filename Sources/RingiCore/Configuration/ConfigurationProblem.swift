internal import JSON

/// Something wrong with the configuration, and where.
package struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
  /// The file's path.
  package let file: String
  /// From 1; 0 when it is about the whole file.
  package let line: Int
  package let column: Int
  package let message: String
  /// Whether the file works all the same.
  package let isWarning: Bool

  package init(file: String, line: Int = 0, column: Int = 0, message: String, isWarning: Bool = false) {
    self.file = file
    self.line = line
    self.column = column
    self.message = message
    self.isWarning = isWarning
  }

  /// `FILE:LINE:COLUMN: message`.
  package var description: String {
    let place = line > 0 ? "\(file):\(line):\(column)" : file
    return "\(place): \(isWarning ? "warning: " : "")\(message)"
  }
}
