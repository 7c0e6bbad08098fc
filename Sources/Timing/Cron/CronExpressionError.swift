/// Why a text is no cron expression.
public struct CronExpressionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The field at fault, "minute", "hour", "day-of-month", "month" or "day-of-week"; nil when it is the whole.
  public let field: String?
  /// Where the fault begins, in characters from 1.
  public let column: Int
  /// What is wrong, what was given, and what is taken.
  public let message: String

  /// The message with the field and the column before it.
  public var description: String {
    "column \(column): \(field.map { "\($0): " } ?? "")\(message)"
  }
}
