internal import Timing

/// A value that rows are sorted by; empty ones come first.
enum SAPSortKey: Comparable {
  case empty
  case number(Int64)
  case text(String)

  init(_ text: String?) { self = text.flatMap { $0.isEmpty ? nil : .text($0) } ?? .empty }

  init(_ time: Timestamp?) { self = time.map { .number($0.milliseconds) } ?? .empty }
}
