internal import CLinux
internal import Glibc
internal import Timing

/// The moment at which waiting ends, on the clock that nobody sets.
struct Deadline {
  /// In milliseconds of CLOCK_MONOTONIC; nil waits for ever.
  private let end: Int64?

  static let never = Deadline(end: nil)

  private init(end: Int64?) {
    self.end = end
  }

  /// The deadline `duration` from now; nil or zero for none.
  init(after duration: Duration?) {
    guard let duration, duration > .zero else {
      self = .never
      return
    }
    // Beyond a century it makes no difference, and nothing can overflow.
    end = Self.now + min(duration.wholeMilliseconds, 3_200_000_000_000)
  }

  /// What `poll` takes: milliseconds left, 0 when over, -1 for no deadline.
  var pollTimeout: Int32 {
    guard let end else { return -1 }
    return Int32(clamping: max(0, end - Self.now))
  }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
