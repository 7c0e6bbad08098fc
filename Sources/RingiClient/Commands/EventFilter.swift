internal import JSON

/// The options by which `watch` and `events` choose.
enum EventFilter {
  static let options = [
    Option(name: "type", value: "TYPE", help: "of this type only; repeat it for more", isRepeatable: true),
    Option(name: "where", value: "KEY=VALUE", help: "where this holds, such as task.priority=high", isRepeatable: true),
  ]

  static func members(_ invocation: Invocation) throws(Failure) -> [(String, JSONValue?)] {
    [("types", invocation.list("type")), ("where", try invocation.object("where"))]
  }
}
