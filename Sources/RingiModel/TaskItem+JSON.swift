public import JSON
internal import Timing

extension TaskItem {
  /// The task as clients get it.
  ///
  /// - Parameter raw: Whether the backend's own record goes along.
  /// - Returns: An object.
  public func json(raw: Bool = true) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("id", JSONValue(id.description)),
      ("provider", JSONValue(id.provider)),
      ("title", JSONValue(title)),
      ("status", JSONValue(status.rawValue)),
      ("outcome", JSONValue(optional: outcome?.rawValue)),
      ("requester", JSONValue(optional: requester)),
      ("assignees", JSONValue(array: assignees.map { JSONValue($0) })),
      ("priority", JSONValue(priority.rawValue)),
      ("createdAt", JSONValue(optional: createdAt?.rfc3339)),
      ("dueAt", JSONValue(optional: dueAt?.rfc3339)),
      ("url", JSONValue(optional: url)),
      ("actions", JSONValue(array: actions.map { JSONValue($0.rawValue) })),
      ("revision", JSONValue(revision)),
    ]
    if raw { members.append(("raw", self.raw)) }
    return JSONValue(object: members)
  }
}
