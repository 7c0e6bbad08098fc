import EventLoop
import HTTPServer
import JSON
import Providers
import RingiCore
import RingiTestSupport
import Sandbox
import Testing
import Timing

/// The example through a whole agent, as its clients see it.
@Suite(.timeLimit(.minutes(5))) struct RESTAgentTests {
  /// An agent on a socket of its own, with the example's settings.
  private final class World: Sendable {
    let sandbox: UsersAPISandbox
    let folder: TemporaryFolder
    let agent: Agent

    init(changing settings: JSONValue = [:]) async throws {
      var configuration = UsersAPIConfiguration()
      configuration.switches.rateLimit = 10_000
      sandbox = UsersAPISandbox(configuration)
      try sandbox.start(port: 0, tls: nil)
      folder = try TemporaryFolder()
      for name in ["plugins.d", "jobs.d", "hooks.d"] { try Folder.make("\(folder.path)/config/\(name)") }
      let all = try RESTRig.example().merging(["url": .init(sandbox.baseURL)]).merging(settings)
      let plugin: JSONValue = ["provider": "rest", "settings": all, "poll": ["every": "1d"]]
      try folder.write("config/plugins.d/acme.json", plugin.description, mode: 0o600)
      let path = folder.path
      agent = try await onLoop {
        var options = Agent.Options(
          configDirectory: "\(path)/config", stateDirectory: "\(path)/state", defaultSocket: "\(path)/agent.sock",
          environment: ["USERS_API_TOKEN": configuration.token])
        options.sockets = ["\(path)/agent.sock"]
        return Agent(options: options, providers: builtinProviders, clock: SystemClock.shared)
      }
      try await onLoop { [agent] in try await agent.start() }
    }

    func stop() async throws {
      try await onLoop { [agent] in await agent.stop() }
      sandbox.stop()
    }

    @discardableResult
    func call(_ method: String, _ params: JSONValue = [:]) throws -> JSONValue {
      try TestClient("\(folder.path)/agent.sock").call(method, params)
    }

    func error(_ method: String, _ params: JSONValue = [:]) throws -> JSONValue {
      try required(TestClient("\(folder.path)/agent.sock").refusal(method, params))
    }

    /// How often each approval was decided over the API.
    func decisions(_ id: Int) -> Int? { sandbox.with { $0.approval(id)?.decisions } }
  }

  @Test func theOperationsAreMethodsWhoseParamsAreChecked() async throws {
    let world = try await World()
    let document = try world.call("rpc.discover")
    let names = document["methods"]?.array?.compactMap { $0["name"]?.string } ?? []
    #expect(
      names.filter { $0.hasPrefix("acme.") } == [
        "acme.approval.decide", "acme.approval.list", "acme.user.create", "acme.user.delete", "acme.user.get",
        "acme.user.list", "acme.user.update",
      ])
    let made = try world.call("acme.user.create", ["name": "佐藤 花子", "email": "hanako@acme.example"])
    let id = try required(made["id"])
    #expect(try world.call("acme.user.update", ["id": id, "tel": "03"])["tel"] == "03")
    #expect(try world.call("acme.user.list")["items"]?.array?.count == 1)
    let error = try world.error("acme.user.create", ["name": "x", "mail": "y"])
    #expect(error["code"] == -32602 && error["message"]?.string?.contains("email") == true)
    #expect(try world.call("acme.user.delete", ["id": id]) == .null)
    #expect(try world.error("acme.user.get", ["id": id])["code"] == -32004)
    try await world.stop()
  }

  @Test func anIdempotencyKeyMakesOneRecordOfTwoCalls() async throws {
    let world = try await World()
    let params: JSONValue = ["name": "Hanako", "email": "h@acme.example", "idempotencyKey": "once"]
    let first = try world.call("acme.user.create", params)
    #expect(try world.call("acme.user.create", params) == first)
    #expect(world.sandbox.with { $0.users.count } == 1)
    try await world.stop()
  }

  @Test func anApprovalIsAnnouncedDecidedOnceAndNotDecidedOtherwise() async throws {
    let world = try await World()
    let id = world.sandbox.with { $0.makeApproval("3 monitors", amount: 300) }
    try world.call("tasks.refresh")
    let task = "acme/\(id)"
    #expect(try world.call("tasks.list")["tasks"]?[0]?["id"] == .init(task))
    let done = try world.call("tasks.approve", ["task": .init(task), "comment": "いいよ"])
    #expect(done["task"]?["outcome"] == "approved" && done["event"]?["type"] == "approval-done")
    #expect(try world.call("tasks.approve", ["task": .init(task)])["already"] == true)
    #expect(try world.error("tasks.reject", ["task": .init(task)])["code"] == -32005)
    #expect(world.decisions(id) == 1 && world.sandbox.with { $0.approval(id)?.comment } == "いいよ")
    try await world.stop()
  }

  @Test func aTaskThatChangedSinceItWasSeenIsAConflict() async throws {
    let world = try await World()
    let id = world.sandbox.with { $0.makeApproval("3 monitors", amount: 100) }
    try world.call("tasks.refresh")
    let seen = try required(world.call("tasks.get", ["task": .init("acme/\(id)")])["revision"])
    try world.sandbox.with { state throws(ControlError) in try state.editApproval(id, amount: 90_000) }
    #expect(try world.error("tasks.approve", ["task": .init("acme/\(id)"), "seen": seen])["code"] == -32005)
    #expect(world.decisions(id) == 0)
    try await world.stop()
  }

  @Test(arguments: [
    Fault.Kind.reset(applied: true), .status(408, applied: true), .status(504, applied: true), .truncatedBody(),
  ])
  func aLostAnswerIsSettledByReadingBack(_ kind: Fault.Kind) async throws {
    let world = try await World()
    let id = world.sandbox.with { $0.makeApproval("3 monitors") }
    try world.call("tasks.refresh")
    let fault = try required(Fault(kind, on: "POST /approvals/*/decision"))
    world.sandbox.with { $0.faults.add(fault) }
    let done = try world.call("tasks.approve", ["task": .init("acme/\(id)")])
    #expect(done["task"]?["outcome"] == "approved" && world.decisions(id) == 1)
    try await world.stop()
  }

  @Test func aDecisionThatIsTakenLaterIsWaitedFor() async throws {
    let world = try await World()
    let id = world.sandbox.with { $0.makeApproval("3 monitors") }
    try world.call("tasks.refresh")
    world.sandbox.with { $0.switches.decidesLater = .after(.milliseconds(500)) }
    let done = try world.call("tasks.approve", ["task": .init("acme/\(id)")])
    #expect(done["task"]?["outcome"] == "approved" && world.decisions(id) == 1)
    try await world.stop()
  }

  @Test func aPollThatFailsLosesNoTask() async throws {
    let world = try await World()
    world.sandbox.with { state in for n in 1...120 { state.makeApproval("Order \(n)") } }
    try world.call("tasks.refresh")
    let fault = try required(Fault(.malformedJSON, on: "GET /approvals", skip: 2))
    world.sandbox.with { $0.faults.add(fault) }
    _ = try world.error("tasks.refresh", ["provider": "acme"])
    let list = try world.call("tasks.list", ["limit": 500])
    #expect(list["tasks"]?.array?.count == 120 && list["stale"] == ["acme"])
    #expect(try world.call("events.list", ["types": ["task-gone"]])["events"] == [])
    try world.call("tasks.refresh")
    #expect(try world.call("tasks.list", ["limit": 1])["stale"] == [])
    try await world.stop()
  }

  /// BR-117.
  @Test func theTokenIsInNoErrorAndNoEvent() async throws {
    let world = try await World()
    let token = UsersAPIConfiguration().token
    world.sandbox.with { $0.revokeTokens() }
    let error = try world.error("acme.user.list")
    #expect(error["code"] == -32003 && !error.description.contains(token))
    _ = try world.error("tasks.refresh", ["provider": "acme"])
    #expect(try !world.call("agent.status").description.contains(token))
    let events = try world.call("events.list", ["types": ["login-required", "poll-failed"]])
    #expect(events["events"]?.array?.isEmpty == false && !events.description.contains(token), "\(events)")
    try await world.stop()
  }
}
