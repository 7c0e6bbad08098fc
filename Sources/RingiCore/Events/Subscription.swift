internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiModel

/// One client's wish to hear of events, and its place in the log.
@Loop
final class Subscription {
  let id: String
  let filter: EventFilter
  /// The last sequence that this subscriber was told, or was not interested in.
  var cursor: Int64
  /// Whether it has caught up, so that new events go to it as they come.
  var isLive = false
  /// The first of the events that were dropped for it since it last read.
  var lostFrom: Int64?
  /// What is being read from the store for it, and what was read and is still to be sent.
  var reading: Task<Void, any Error>?
  var page: ArraySlice<EventRecord> = []
  /// How far the page, or the look that found nothing, reaches.
  var through: Int64 = 0

  init(id: String, filter: EventFilter, since: Int64) {
    self.id = id
    self.filter = filter
    cursor = since
  }
}

/// Replay and live delivery of one session's subscriptions.
extension Session {
  /// Replay goes on while less than this waits for the client.
  private static let replayWater = 128 << 10
  /// The most events that are read at a time.
  private static let replayPage = 64

  func add(_ subscription: Subscription) {
    if subscriptions.isEmpty { environment.fanout.add(self) }
    // A sequence that is yet to come is of another log; what comes now is new to its subscriber.
    subscription.cursor = min(subscription.cursor, environment.bus.log.lastSequence)
    subscriptions.append(subscription)
    isBehind = true
  }

  /// Ends a subscription.
  ///
  /// - Returns: Whether there was one.
  func removeSubscription(_ id: String) -> Bool {
    guard let index = subscriptions.firstIndex(where: { $0.id == id }) else { return false }
    subscriptions.remove(at: index).reading?.cancel()
    if subscriptions.isEmpty { environment.fanout.remove(self) }
    return true
  }

  func dropSubscriptions() {
    if !subscriptions.isEmpty { environment.fanout.remove(self) }
    for subscription in subscriptions { subscription.reading?.cancel() }
    subscriptions = []
  }

  /// Tells the subscriptions that have caught up of new events, oldest first.
  func deliver(_ records: [EventRecord]) {
    let room = environment.limits.outboxBytes
    for subscription in subscriptions where subscription.isLive {
      // A replay of this turn may have told of some of them.
      for record in records where record.sequence > subscription.cursor {
        if subscription.filter.matches(record) {
          guard stream.unsent + record.size <= room else {
            fallBehind(subscription, at: record)
            break
          }
          append { record.write(subscription: subscription.id, into: &$0) }
        }
        subscription.cursor = record.sequence
      }
    }
    // Where nothing waits to be sent, no later moment would come to tell of a loss.
    if isBehind { pump() }
    stream.sendUnlessQueued()
    closeIfDone()
  }

  private func fallBehind(_ subscription: Subscription, at record: EventRecord) {
    subscription.isLive = false
    subscription.lostFrom = record.sequence
    isBehind = true
  }

  /// Tells what was lost, and replays, as far as there is room.
  func pump() {
    guard isBehind else { return }
    for subscription in subscriptions where !subscription.isLive {
      if let first = subscription.lostFrom {
        guard stream.unsent <= Self.replayWater else { continue }
        subscription.lostFrom = nil
        subscription.cursor = environment.bus.log.lastSequence
        sendLost(first, subscription.cursor, to: subscription)
      }
      replay(subscription)
    }
    isBehind = subscriptions.contains { !$0.isLive }
  }

  private func replay(_ subscription: Subscription) {
    let log = environment.bus.log
    while stream.unsent <= Self.replayWater {
      if let record = subscription.page.popFirst() {
        notify { record.write(subscription: subscription.id, into: &$0) }
        subscription.cursor = subscription.page.isEmpty ? subscription.through : record.sequence
        continue
      }
      guard subscription.reading == nil else { return }
      let first = log.firstSequence(after: subscription.cursor)
      if subscription.cursor + 1 < first {
        sendLost(subscription.cursor + 1, first - 1, to: subscription)
        subscription.cursor = first - 1
      }
      guard let records = log.recent(after: subscription.cursor, limit: 32) else {
        return readPage(for: subscription)
      }
      if records.isEmpty {
        // Also where it asked for what comes after a sequence that is yet to come.
        subscription.cursor = log.lastSequence
        subscription.isLive = true
        return
      }
      for case let record? in records {
        if subscription.filter.matches(record) {
          notify { record.write(subscription: subscription.id, into: &$0) }
        }
        subscription.cursor = record.sequence
      }
    }
  }

  /// Reads what memory doesn't hold any more, and goes on with the replay.
  private func readPage(for subscription: Subscription) {
    subscription.reading = Loop.task { [environment] in
      defer {
        subscription.reading = nil
        self.pump()
        self.stream.sendUnlessQueued()
        self.closeIfDone()
      }
      do {
        let page = try await environment.bus.log.records(
          after: subscription.cursor, matching: subscription.filter, limit: Self.replayPage)
        subscription.page = page.records[...]
        subscription.through = page.through
        if page.records.isEmpty { subscription.cursor = page.through }
      } catch is CancellationError {
      } catch {
        // What can't be read now may be asked for later, with events.list.
        subscription.lostFrom = subscription.lostFrom ?? subscription.cursor + 1
      }
    }
  }

  private func sendLost(_ from: Int64, _ to: Int64, to subscription: Subscription) {
    let params: JSONValue = [
      "subscription": JSONValue(subscription.id), "from": JSONValue(from), "to": JSONValue(to),
    ]
    notify { MessageWriter.notification(EventType.eventsLost.rawValue, in: &$0) { params.write(into: &$0) } }
  }
}
