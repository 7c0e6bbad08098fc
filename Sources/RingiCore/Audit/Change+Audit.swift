package import EventLoop
internal import JSON
internal import RingiKit

extension Change {
  /// Appends an entry to the audit log, in the transaction that the change is a part of.
  ///
  /// - Parameters:
  ///   - entry: What was done; the name of the client's user is added where it is missing.
  ///   - redactor: Takes secrets out of what the entry tells.
  /// - Returns: The change.
  @Loop
  package static func audit(_ entry: AuditEntry, redactor: Redactor) -> Change {
    let json = redactor.redact(entry.json)
    let user = entry.actor.client.flatMap { $0.user == nil ? $0.process?.user : nil }
    return Change { connection in
      var json = json
      // Here, since the system may take its time to say who that is.
      if let name = user.flatMap(SystemUser.name), let actor = json["actor"], let client = actor["client"] {
        json = json.setting(
          "actor", to: actor.setting("client", to: client.setting("user", to: JSONValue(name))))
      }
      try AuditRows.append(json.utf8, connection)
    }
  }
}
