/// Something wrong with the configuration, and where.
package struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
  /// The file's path, or a folder's.
  package let file: String
  /// From 1, as is the column; what is wrong with a file as a whole is at its beginning.
  package let line: Int
  package let column: Int
  package let message: String
  /// Whether the file works all the same.
  package let isWarning: Bool

  package init(file: String, line: Int = 1, column: Int = 1, message: String, isWarning: Bool = false) {
    self.file = file
    self.line = line
    self.column = column
    self.message = message
    self.isWarning = isWarning
  }

  /// `FILE:LINE:COLUMN: message`.
  package var description: String { "\(file):\(line):\(column): \(isWarning ? "warning: " : "")\(message)" }
}
