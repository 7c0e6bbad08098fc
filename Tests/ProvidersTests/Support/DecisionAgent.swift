import EventLoop
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiModel
import RingiTestSupport

/// The agent's own inbox in front of an instance, and what comes of decisions there.
@Loop struct DecisionAgent<Rig: PluginRig> {
  let rig: Rig
  let inbox: Inbox
  let decisions: Decisions
  private let log: EventLog

  init(_ rig: Rig) throws {
    self.rig = rig
    let bus = try EventBus.inMemory(clock: rig.clock)
    log = bus.log
    inbox = Inbox(bus: bus, clock: rig.clock, log: Log(level: .error, clock: rig.clock, redactor: Redactor()))
    inbox.add(try rig.source, instance: rig.plugin.instance, startsWithBaseline: false)
    decisions = Decisions(inbox: inbox)
  }

  func poll() async throws {
    try await rig.passingTime { [inbox, instance = rig.plugin.instance] in _ = try await inbox.poll(instance) }
  }

  func decide(_ kind: Decision.Kind, _ id: String) async throws -> JSONValue {
    let task = "\(rig.plugin.instance)/\(id)"
    return try await rig.passingTime { [decisions] in
      try await decisions.decide(Decisions.Request(task: task, decision: Decision(kind)))
    }
  }

  /// The error of a decision that fails.
  func failure(_ kind: Decision.Kind, _ id: String) async throws -> RPCError {
    try await rig.failure { try await decide(kind, id) }
  }

  func events(_ type: EventType) async throws -> Int {
    try await log.records(after: 0, matching: EventFilter(types: [type.rawValue]), limit: 10_000).records.count
  }
}
