internal import EventLoop
internal import JSON
internal import Timing

extension Store {
  /// What `agent.status` tells of it: the sizes are those after the last commit, since a disk that hangs is not to be
  /// waited for here, and the commit's duration includes the disk's word that it has it.
  var json: JSONValue {
    [
      "path": file.map { JSONValue($0.path) } ?? .null, "bytes": JSONValue(lastCommit?.bytes ?? 0),
      "logBytes": JSONValue(lastCommit?.logBytes ?? 0),
      "lastCommit": lastCommit.map { JSONValue($0.time.rfc3339) } ?? .null,
      "lastCommitDuration": lastCommit.map { JSONValue(DurationText.format($0.duration)) } ?? .null,
      "waiting": JSONValue(waiting), "trouble": trouble.map { JSONValue($0.kind.rawValue) } ?? .null,
    ]
  }
}
