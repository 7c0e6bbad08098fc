internal import RingiKit

/// The filters that a list takes, by the service's own names: a name with a mistake in it would filter nothing.
struct SAPFilters {
  enum Kind {
    /// One value or several, of which one has to match.
    case texts
    case words([String])
    /// Compared as given; one value.
    case text
    case time
    /// Custom attributes by their ids.
    case attributes
  }

  let members: [(name: String, kind: Kind)]

  static let tasks = SAPFilters(
    members: [
      ("id", .texts), ("workflowInstanceId", .texts), ("workflowDefinitionId", .texts), ("activityId", .texts),
      ("definitionId", .texts), ("processor", .texts),
      ("status", .words(["READY", "RESERVED", "COMPLETED", "CANCELED"])),
      ("priority", .words(["VERY_HIGH", "HIGH", "MEDIUM", "LOW"])), ("subject", .texts), ("description", .texts),
      ("recipientUsers", .texts), ("recipientGroups", .texts), ("containsText", .text), ("attributes", .attributes),
    ] + times("created", "claimed", "completed", "lastChanged")
      + [("dueDate", .time), ("dueDateFrom", .time), ("dueDateUpTo", .time)])

  static let instances = SAPFilters(
    members: [
      ("id", .texts), ("definitionId", .texts), ("definitionVersion", .texts),
      ("status", .words(["RUNNING", "ERRONEOUS", "SUSPENDED", "CANCELED", "COMPLETED"])), ("startedBy", .texts),
      ("subject", .texts), ("businessKey", .texts), ("containsText", .text), ("rootInstanceId", .texts),
      ("parentInstanceId", .texts), ("projectId", .texts), ("projectVersion", .texts), ("attributes", .attributes),
    ] + times("started", "completed"))

  /// What an instance of the plugin may restrict its polls to; which statuses are polled is not for it to say.
  static let polled = SAPFilters(
    members: ["workflowDefinitionId", "definitionId", "recipientUsers", "recipientGroups", "processor", "priority"]
      .compactMap { name in tasks.members.first { $0.name == name } })

  private static func times(_ names: String...) -> [(name: String, kind: Kind)] {
    names.flatMap { [("\($0)At", .time), ("\($0)From", .time), ("\($0)UpTo", .time)] }
  }

  /// The filters as properties of a schema; an empty text is refused, since the service would ignore it.
  var properties: [(name: String, schema: Schema)] {
    members.map { name, kind in
      switch kind {
      case .texts: (name, Self.oneOrMore(.string(minLength: 1)))
      case .words(let words): (name, Self.oneOrMore(.string(enum: words)))
      case .text: (name, .string("A part of any of the texts.", minLength: 1))
      case .time: (name, .string("A time such as 2026-11-30T05:09:00Z.", format: "date-time"))
      case .attributes: (name, .map("The values of custom attributes by their ids.", of: .string(minLength: 1)))
      }
    }
  }

  private static func oneOrMore(_ schema: Schema) -> Schema { .anyOf([schema, .array(of: schema, minItems: 1)]) }

  /// The filters as a query: a name is repeated for each of its values.
  func pairs(_ params: JSONValue) -> [(String, String)] {
    members.flatMap { name, kind -> [(String, String)] in
      guard let value = params[name] else { return [] }
      if case .attributes = kind { return value.object?.map { ("attributes.\($0.key)", $0.value.string ?? "") } ?? [] }
      let texts = value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? []
      guard case .time = kind else { return texts.map { (name, $0) } }
      return texts.map { (name, Timestamp(rfc3339: $0).map(SAPTime.wire) ?? $0) }
    }
  }

  /// Finds what a schema lets through and the service would misread.
  ///
  /// - Throws: `RPCError` (invalid-params).
  func check(_ params: JSONValue) throws(RPCError) {
    for (name, kind) in members {
      guard let value = params[name] else { continue }
      let texts = value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? []
      switch kind {
      case .texts:
        if let text = texts.first(where: { $0.contains(",") }) {
          throw .invalidParams(
            "\(name) got \(text.debugDescription), but takes texts without commas, where the service would split them.")
        }
      case .time:
        if let text = texts.first(where: { Timestamp(rfc3339: $0) == nil }) {
          throw .invalidParams("\(name) got \(text.debugDescription), but takes a time such as 2026-11-30T05:09:00Z.")
        }
      case .words, .text, .attributes: continue
      }
    }
  }
}
