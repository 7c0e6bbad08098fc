package import Timing

/// When a job is due by itself.
package enum JobSchedule: Sendable {
  /// A fixed time apart, counted from the run before.
  case every(Every)
  /// At times of the calendar; the text says which.
  case cron(any Schedule, text: String)

  /// The first due time later than `timestamp`, or nil when there is none any more.
  func next(after timestamp: Timestamp) -> Timestamp? {
    switch self {
    case .every(let every): every.next(after: timestamp)
    case .cron(let cron, _): cron.next(after: timestamp)
    }
  }

  /// The first time not before `timestamp` that a run may be moved to.
  ///
  /// An interval can go on from anywhere; a cron expression's runs stay at its own times.
  func first(notBefore timestamp: Timestamp) -> Timestamp? {
    switch self {
    case .every: timestamp
    case .cron(let cron, _): cron.next(after: timestamp - .milliseconds(1))
    }
  }
}

extension JobSchedule: Equatable, CustomStringConvertible {
  package static func == (left: JobSchedule, right: JobSchedule) -> Bool { left.description == right.description }

  /// `every 30s`, or the cron expression and its time zone.
  package var description: String {
    switch self {
    case .every(let every): "every \(DurationText.format(every.period))"
    case .cron(_, let text): text
    }
  }
}
