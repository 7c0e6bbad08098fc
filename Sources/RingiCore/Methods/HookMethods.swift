internal import EventLoop
internal import JSON
internal import JSONRPC
package import RingiKit

/// `hooks.*`.
@Loop
package enum HookMethods {
  /// The methods over a runner's hooks.
  package static func all(_ runner: HookRunner) -> [Method] {
    [list(runner), test(runner), deliveries(runner), retry(runner), discard(runner)]
  }

  private static let hook = Schema.string("A hook's name: that of its file.", minLength: 1)
  private static let time = Schema.string(format: "date-time").nullable

  private static let row: [(name: String, schema: Schema)] = [
    ("name", .string("Its name: that of its file.")),
    ("on", .array("The types it waits for.", of: .string("An event type; * stands for any characters."))),
    ("where", .map("What must hold besides.", of: .any)),
    ("action", .string("What it does.", enum: Hook.Action.Kind.allCases.map(\.rawValue))),
    (
      "state",
      .string(
        "Whether it runs, waits for another attempt, waits for a place among the programs, or has nothing to do.",
        enum: ["running", "retrying", "waiting", "idle"])
    ),
    ("lastSequence", .integer("The last event up to which all are settled.", 0...)),
    ("backlog", .integer("The events that are under way or were not looked at yet.", 0...)),
    ("delivered", .integer("Deliveries that arrived since the agent started.", 0...)),
    ("failed", .integer("Failed deliveries that are kept.", 0...)),
    ("lost", .integer("Events that left the log before the hook got to them.", 0...)),
    ("lastError", .string("What the last failed attempt said.").nullable),
  ]

  private static let exit: [(name: String, schema: Schema)] = [
    ("exitStatus", .integer("The program's exit status, if it exited by itself.").nullable),
    ("signal", .integer("The signal that ended the program, if one did.").nullable),
  ]

  private static let delivery: [(name: String, schema: Schema)] =
    [
      ("id", .string("HOOK/SEQUENCE; what hooks.retry and hooks.discard take.")), ("hook", hook),
      ("sequence", .integer("The event's place in the log.")), ("event", .string("The event's id.")),
      ("type", .string("The event's type.")),
      ("state", .string("Where it stands.", enum: Delivery.State.allCases.map(\.rawValue))),
      ("attempts", .integer("Attempts begun.", 0...)),
    ] + exit + [
      ("lastError", .string("What the last failed attempt said.").nullable),
      ("startedAt", time.described("When the first attempt began.")),
      ("finishedAt", time.described("When the last attempt ended.")),
    ]

  private static func object(_ properties: [(name: String, schema: Schema)]) -> Schema {
    .object(properties: properties, required: properties.map(\.name))
  }

  private static func list(_ runner: HookRunner) -> Method {
    Method(
      "hooks.list", "Lists the hooks and how far each has come.", params: .object([:]),
      result: .object(["hooks": .array(of: object(row))], required: ["hooks"]),
      handler: .sync { _, _ in ["hooks": runner.list] })
  }

  private static func test(_ runner: HookRunner) -> Method {
    let outcome: [(name: String, schema: Schema)] =
      [("event", .any.described("The event it got.")), ("delivered", .boolean("Whether it succeeded."))] + exit + [
        ("duration", .duration("How long it took.")),
        ("output", .string("What the program wrote, abridged.")),
        ("result", .any.described("What the called method returned.")),
        ("error", .string("What went wrong.").nullable),
      ]
    return Method(
      "hooks.test", "Runs a hook once, in earnest, with an event that says it is a test.",
      params: .object(
        [
          "hook": hook,
          "event": .object(
            "An event as events.list shows it, of which type, subject and data count; one is made up without it.",
            ["type": .string(minLength: 1), "subject": .string(), "data": .any], isOpen: true),
        ], required: ["hook"]),
      result: object(outcome), isMutation: true,
      handler: .async { params, _ in try await runner.test(try params.text("hook"), event: params["event"]) })
  }

  private static func deliveries(_ runner: HookRunner) -> Method {
    Method(
      "hooks.deliveries", "Lists deliveries under way, failed, and lately arrived.",
      params: .object([
        "hook": hook, "state": .string("Only these.", enum: Delivery.State.allCases.map(\.rawValue)),
        "limit": .integer("The most to answer with.", 1...10_000).default(100),
      ]),
      result: .object(["deliveries": .array(of: object(delivery))], required: ["deliveries"]),
      handler: .sync { params, _ in
        let state = params["state"]?.string.flatMap(Delivery.State.init)
        let limit = Int(params["limit"]?.int ?? 100)
        return ["deliveries": try runner.deliveries(params["hook"]?.string, state: state, limit: limit)]
      })
  }

  /// Which failed deliveries.
  private static let choice = Schema.object([
    "hook": hook,
    "delivery": .anyOf([.string("A delivery's id.", minLength: 1), .integer("An event's sequence.", 0...)]),
  ])

  private static func retry(_ runner: HookRunner) -> Method {
    Method(
      "hooks.retry", "Tries failed deliveries again: one, a hook's, or all.", params: choice,
      result: .object(["retried": .integer("How many will be tried again.", 0...)], required: ["retried"]),
      isMutation: true,
      handler: .async { params, _ in
        ["retried": JSONValue(try await runner.retry(params["hook"]?.string, delivery: chosen(params)))]
      })
  }

  private static func discard(_ runner: HookRunner) -> Method {
    Method(
      "hooks.discard", "Lets go of failed deliveries for good: one, or all of a hook.", params: choice,
      result: .object(["discarded": .integer("How many are gone.", 0...)], required: ["discarded"]),
      isMutation: true,
      handler: .async { params, _ in
        // What can't be undone is not what one gets by leaving something out.
        guard params["hook"] != nil || params["delivery"] != nil else {
          throw RPCError.invalidParams("hooks.discard takes a hook or a delivery; hooks.deliveries lists them.")
        }
        return ["discarded": JSONValue(try await runner.discard(params["hook"]?.string, delivery: chosen(params)))]
      })
  }

  private static func chosen(_ params: JSONValue) -> String? {
    params["delivery"].map { $0.string ?? $0.description }
  }
}
