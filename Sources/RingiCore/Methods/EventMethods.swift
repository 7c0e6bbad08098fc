internal import EventLoop
internal import JSON
internal import JSONRPC
package import RingiKit
internal import RingiModel

/// `events.*`.
@Loop
package enum EventMethods {
  package static func all(_ bus: EventBus) -> [Method] {
    [subscribe(bus), unsubscribe, list(bus), publish(bus)]
  }

  private static let types = Schema.array(
    "The types wanted.", of: .string("An event type; * stands for any characters.", minLength: 1, maxLength: 255),
    maxItems: 256
  ).default(["*"])
  private static let conditions = Schema.map(
    "What must hold: dotted paths into the event's data, its task or the envelope, each with a value.",
    of: .any.described("The value, or an array of which it must be one."))

  private static func subscribe(_ bus: EventBus) -> Method {
    var lastID = 0
    return Method(
      "events.subscribe", "Sends a notification for each event from now on, or from after a sequence on.",
      params: .object([
        "types": types, "where": conditions,
        "since": .integer("Replay what came after this sequence first.", 0...),
      ]),
      result: .object(
        ["subscription": .string("Its id."), "sequence": .integer("The last sequence there is.")],
        required: ["subscription", "sequence"]),
      handler: .sync { params, call in
        let session = try session(call)
        lastID += 1
        let subscription = Subscription(
          id: String(lastID), filter: filter(params), since: params["since"]?.int ?? bus.log.lastSequence)
        session.add(subscription)
        return ["subscription": JSONValue(subscription.id), "sequence": JSONValue(bus.log.lastSequence)]
      })
  }

  private static let unsubscribe = Method(
    "events.unsubscribe", "Ends a subscription of this connection.",
    params: .object(["subscription": .string("Its id.")], required: ["subscription"]), result: .null,
    handler: .sync { params, call in
      let id = try params.text("subscription")
      guard try session(call).removeSubscription(id) else {
        throw RPCError.notFound("This connection has no subscription \"\(id.prefix(100))\".")
      }
      return .null
    })

  private static func list(_ bus: EventBus) -> Method {
    Method(
      "events.list", "Lists events that happened, oldest first.",
      params: .object([
        "since": .integer("Only events after this sequence.", 0...).default(0), "types": types,
        "where": conditions, "limit": .integer("The most events to answer with.", 1...10_000).default(1000),
      ]),
      result: .object(
        [
          "events": .array(of: .any.described("An event.")),
          "sequence": .integer("Ask again with this as since for what comes next."),
        ], required: ["events", "sequence"]),
      handler: .sync { params, _ in list(bus, params) })
  }

  private static func list(_ bus: EventBus, _ params: JSONValue) -> JSONValue {
    let filter = filter(params)
    let limit = Int(params["limit"]?.int ?? 1000)
    var sequence = min(params["since"]?.int ?? 0, bus.log.lastSequence)
    var events: [JSONValue] = []
    for record in bus.log.records(after: sequence) {
      if filter.matches(record.event) {
        if events.count == limit { break }
        events.append(record.event.json)
      }
      sequence = record.event.sequence
    }
    return ["events": JSONValue(array: events), "sequence": JSONValue(sequence)]
  }

  private static func publish(_ bus: EventBus) -> Method {
    Method(
      "events.publish", "Publishes an event of a type of your own.",
      params: .object(
        [
          "type": .string("Its type; the agent's own types are refused.", minLength: 1, maxLength: 255),
          "subject": .string("What it is about.", minLength: 1), "data": .any.described("What it says."),
        ], required: ["type"]),
      result: .object(["event": .any.described("The event as it stands in the log.")], required: ["event"]),
      handler: .async { params, call in
        let type = EventType(try params.text("type"))
        // It becomes the method of a notification, and a word in people's filters.
        guard isName(type.rawValue) else {
          throw RPCError.invalidParams(
            "type takes letters, digits, \".\", \"-\" and \"_\", and does not begin with \"rpc.\".",
            details: ["parameter": "type"])
        }
        guard !EventType.builtIn.contains(type) else {
          throw RPCError.invalidParams(
            "type: \(type) is the agent's own; choose another name.", details: ["parameter": "type"])
        }
        let events = try await bus.publish([
          EventDraft(
            type, subject: params["subject"]?.string, data: params["data"] ?? .emptyObject, causes: call.causes)
        ])
        return ["event": events.first?.json ?? .null]
      })
  }

  private static func isName(_ type: String) -> Bool {
    !type.hasPrefix("rpc.")
      && type.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || $0.properties.numericType != nil || ".-_".unicodeScalars.contains($0)
      }
  }

  private static func filter(_ params: JSONValue) -> EventFilter {
    EventFilter(types: params["types"]?.array?.compactMap(\.string) ?? ["*"], where: params["where"])
  }

  private static func session(_ call: Call) throws(RPCError) -> Session {
    guard case .client(let client) = call.origin, let session = client as? Session else {
      throw .invalidRequest("Only a connection can subscribe; a hook is what runs on events.")
    }
    return session
  }
}
