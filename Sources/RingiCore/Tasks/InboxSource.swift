internal import EventLoop
internal import JSONRPC
internal import RingiKit
internal import RingiModel

/// One task source and what the inbox knows of it.
@Loop
final class InboxSource {
  let instance: String
  /// `nil` while the instance is not loaded; what is known of its tasks stays.
  var source: (any TaskSource)?
  /// Whether the instance is polled for something else than tasks.
  var isWatched = false
  var table = TaskTable()
  /// Whether the very first poll only notes what is there.
  var startsWithBaseline = false
  /// Stands for the settings by which the source makes tasks of records.
  var settings: UInt64 = 0
  /// Within what time the backend shows what it made of a write.
  var settles = TaskTable.Pending.settles
  /// Why the last poll failed; `nil` after a good one.
  var failure: RPCError?
  /// Whether a poll ever succeeded.
  var hasPolled = false

  init(instance: String) { self.instance = instance }

  /// The fingerprint of a listed record together with that of the settings.
  func fingerprint(_ item: TaskSnapshot.Item) -> UInt64 { item.fingerprint ^ settings }

  var isPolled: Bool { source != nil || isWatched }

  /// What the store keeps of it as a whole.
  var state: InstanceRows.State { InstanceRows.State(hasPolled: hasPolled, failure: failure) }
}
