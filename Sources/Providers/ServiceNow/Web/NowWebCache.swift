internal import RingiKit

/// Answers that somebody asked to have at hand, in memory and for a short time.
@Loop
final class NowWebCache {
  private struct Entry {
    let response: HTTPResponse
    let end: Int64
    var lastUse: Int
    let bytes: Int

    init(_ response: HTTPResponse, end: Int64, lastUse: Int) {
      (self.response, self.end, self.lastUse) = (response, end, lastUse)
      bytes = response.headers.reduce(response.body.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
  }

  /// How long an answer is good for.
  static let life = Duration.seconds(300)
  /// The bytes of all answers, and of one.
  static let limit = 32 << 20
  static let entryLimit = 8 << 20
  /// What the heads of all answers may take beside.
  private static let headLimit = 1 << 20

  private let clock: any LoopClock
  private var entries: [String: Entry] = [:]
  private var uses = 0
  /// How often something was changed at the instance: what was asked for before may be out of date.
  private(set) var changes = 0
  private var alarm: Alarm?

  init(clock: any LoopClock) { self.clock = clock }

  /// How many answers there are.
  var count: Int { entries.count }

  /// The answer that is kept for an address.
  func answer(for url: HTTPURL) -> HTTPResponse? {
    guard var entry = entries[url.text], clock.uptime < entry.end else { return nil }
    uses += 1
    entry.lastUse = uses
    entries[url.text] = entry
    return entry.response
  }

  /// Keeps an answer; those that were not used for the longest time go when there are too many bytes.
  ///
  /// - Returns: Whether it is kept, and not too long.
  func keep(_ response: HTTPResponse, for url: HTTPURL) -> Bool {
    let end = clock.uptime + Self.life.components.seconds * 1_000_000_000
    let entry = Entry(response, end: end, lastUse: uses + 1)
    guard response.body.count <= Self.entryLimit else { return false }
    uses += 1
    entries[url.text] = entry
    while entries.values.reduce(0, { $0 + $1.bytes }) > Self.limit + Self.headLimit,
      let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
    {
      entries[oldest] = nil
    }
    setAlarm()
    return true
  }

  /// Something is changed at the instance, or was.
  func noteChange() {
    changes += 1
    removeAll()
  }

  func removeAll() {
    entries = [:]
    alarm?.cancel()
    alarm = nil
  }

  private func setAlarm() {
    guard alarm?.isPending != true, let first = entries.values.map(\.end).min() else { return }
    alarm = clock.alarm(after: .nanoseconds(max(0, first - clock.uptime))) { [weak self] in self?.clear() }
  }

  /// Gives the memory of old answers back.
  private func clear() {
    entries = entries.filter { clock.uptime < $0.value.end }
    alarm = nil
    setAlarm()
  }
}
