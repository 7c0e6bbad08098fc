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
        if params["since"] != nil { try bus.store.ensureLoaded() }
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
        "since": .integer(
          "Only events after this sequence; when some of them are gone, an events-lost comes first.", 0...),
        "types": types,
        "where": conditions,
        "limit": .integer("The most events to answer with; large ones come in fewer at a time.", 1...10_000).default(
          1000),
      ]),
      result: .object(
        [
          "events": .array(of: .any.described("An event.")),
          "sequence": .integer("Ask again with this as since for what comes next."),
        ], required: ["events", "sequence"]),
      handler: .text { params, _ in try await list(bus, params) })
  }

  private static func list(_ bus: EventBus, _ params: JSONValue) async throws -> JSONText {
    let log = bus.log
    try bus.store.ensureLoaded()
    var sequence = min(params["since"]?.int ?? 0, log.lastSequence)
    var texts: [[UInt8]] = []
    let limit = Int(params["limit"]?.int ?? 1000)
    var found = 0
    while true {
      let first = log.firstSequence(after: sequence)
      // Who names a place is told what is gone behind it; who doesn't gets what there is.
      if params["since"] != nil, sequence + 1 < first { texts.append(bus.lost(sequence + 1, first - 1).json.utf8) }
      sequence = first - 1
      guard found == 0, sequence < log.lastSequence else { break }
      try Task.checkCancellation()
      let page = try await log.texts(after: sequence, matching: filter(params), limit: limit)
      texts += page.texts
      (found, sequence) = (page.texts.count, page.through)
    }
    return JSONText(written: { output in
      output.append(literal: #"{"events":["#)
      for (index, text) in texts.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        output.append(contentsOf: text)
      }
      output.append(literal: #"],"sequence":"#)
      output.append(contentsOf: String(sequence).utf8)
      output.append(UInt8(ascii: "}"))
    })
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
      // The event itself is recorded.
      isMutation: true, isAudited: false,
      handler: .text { params, call in
        let type = try customType(params.text("type"))
        let records = try await bus.record([
          EventDraft(
            type, instance: call.actor.plugin, subject: params["subject"]?.string, data: params["data"] ?? .emptyObject,
            causes: call.causes)
        ])
        return JSONText(written: { output in
          output.append(literal: #"{"event":"#)
          for record in records { output.append(contentsOf: record.text) }
          output.append(UInt8(ascii: "}"))
        })
      })
  }

  /// The type of an event that is not the agent's.
  ///
  /// - Throws: `RPCError` (invalid-params).
  static func customType(_ name: String) throws(RPCError) -> EventType {
    // It becomes the method of a notification, and a word in people's filters.
    guard !name.isEmpty, name.utf8.count <= 255, isName(name) else {
      throw .invalidParams(
        "type takes letters, digits, \".\", \"-\" and \"_\", and does not begin with \"rpc.\".",
        details: ["parameter": "type"])
    }
    guard !EventType.builtIn.contains(EventType(name)) else {
      throw .invalidParams("type: \(name) is the agent's own; choose another name.", details: ["parameter": "type"])
    }
    return EventType(name)
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
