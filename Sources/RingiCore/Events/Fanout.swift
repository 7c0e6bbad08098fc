internal import EventLoop

/// Carries new events to the sessions that have subscribed, once a turn.
///
/// Each session is visited once however many events the turn brought, and its output leaves before the next one's is
/// written: with thousands of subscribers the same warm buffer then serves all of them.
@Loop
final class Fanout: EventBus.Listener, Flushable {
  private var sessions: [Session] = []
  private var news: [EventRecord] = []

  /// Whether the sessions have yet to be told of something.
  var hasNews: Bool { !news.isEmpty }

  func add(_ session: Session) { sessions.append(session) }

  func remove(_ session: Session) { sessions.removeAll { $0 === session } }

  func received(_ records: [EventRecord]) {
    guard !sessions.isEmpty else { return }
    if news.isEmpty { Loop.flushAtEndOfTurn(self) }
    news += records
  }

  func flush() {
    var records: [EventRecord] = []
    swap(&records, &news)
    for session in sessions { session.deliver(records) }
  }
}
