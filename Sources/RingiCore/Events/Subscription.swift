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

  init(id: String, filter: EventFilter, since: Int64) {
    self.id = id
    self.filter = filter
    cursor = since
  }
}

/// Replay and live delivery of one session's subscriptions.
extension Session: EventBus.Listener {
  /// Replay goes on while less than this waits for the client.
  private static let replayWater = 128 << 10

  func add(_ subscription: Subscription) {
    if subscriptions.isEmpty { environment.bus.add(self) }
    subscriptions.append(subscription)
    isBehind = true
  }

  /// Ends a subscription.
  ///
  /// - Returns: Whether there was one.
  func removeSubscription(_ id: String) -> Bool {
    guard let index = subscriptions.firstIndex(where: { $0.id == id }) else { return false }
    subscriptions.remove(at: index)
    if subscriptions.isEmpty { environment.bus.remove(self) }
    return true
  }

  func dropSubscriptions() {
    if !subscriptions.isEmpty { environment.bus.remove(self) }
    subscriptions = []
  }

  package func received(_ records: [EventRecord]) {
    for subscription in subscriptions where subscription.isLive {
      for record in records { deliver(record, live: subscription) }
    }
  }

  private func deliver(_ record: EventRecord, live subscription: Subscription) {
    let sequence = record.event.sequence
    guard subscription.isLive, subscription.filter.matches(record.event) else {
      subscription.cursor = sequence
      return
    }
    guard stream.unsent + record.size <= environment.limits.outboxBytes else {
      subscription.isLive = false
      subscription.lostFrom = sequence
      isBehind = true
      return
    }
    send(record, to: subscription)
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
      if subscription.cursor + 1 < log.firstSequence {
        sendLost(subscription.cursor + 1, log.firstSequence - 1, to: subscription)
        subscription.cursor = log.firstSequence - 1
      }
      let records = log.records(after: subscription.cursor, limit: 32)
      if records.isEmpty {
        subscription.isLive = true
        return
      }
      for record in records {
        if subscription.filter.matches(record.event) { send(record, to: subscription) }
        subscription.cursor = record.event.sequence
      }
    }
  }

  private func send(_ record: EventRecord, to subscription: Subscription) {
    subscription.cursor = record.event.sequence
    notify { output in
      output.append(contentsOf: record.notificationHead)
      output.append(contentsOf: subscription.id.utf8)
      output.append(contentsOf: record.notificationTail)
    }
  }

  private func sendLost(_ from: Int64, _ to: Int64, to subscription: Subscription) {
    let params: JSONValue = [
      "subscription": JSONValue(subscription.id), "from": JSONValue(from), "to": JSONValue(to),
    ]
    notify { MessageWriter.notification(EventType.eventsLost.rawValue, in: &$0) { params.write(into: &$0) } }
  }
}
