import EventLoop
import Glibc
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiTestSupport

/// The parts of an agent that serve clients, on a socket in a folder of its own.
@Loop
final class TestAgent {
  let clock = TestClock()
  let registry = Registry()
  let redactor = Redactor()
  let counters = Counters()
  let bus: EventBus
  let environment: SessionEnvironment
  let server: Server
  let inbox: Inbox
  let decisions: Decisions
  /// The calls of `test.wait` and `test.act`.
  let waits = Waits()
  nonisolated let folder: TemporaryFolder
  nonisolated var path: String { "\(folder.path)/agent.sock" }

  init(limits: Limits = Limits(), events: Int64 = 1_000_000) throws {
    folder = try TemporaryFolder()
    let log = Log(level: .error, clock: clock, redactor: redactor)
    bus = try EventBus.inMemory(clock: clock, events: events, redactor: redactor)
    environment = SessionEnvironment(
      registry: registry, bus: bus, clock: clock, redactor: redactor, limits: limits, counters: counters)
    registry.mutations = Mutations(store: bus.store, clock: clock, redactor: redactor)
    server = Server(environment: environment, log: log)
    inbox = Inbox(bus: bus, clock: clock, log: log)
    decisions = Decisions(inbox: inbox)
    let actions = AgentMethods.Actions(status: { .null }, reload: { _ in .null }, shutdown: { _ in })
    let tasks = TaskMethods.all(inbox, decisions) { [inbox] in try await inbox.poll($0) }
    try registry.add(
      AgentMethods.all(actions) + EventMethods.all(bus) + tasks + [Discover.method(registry, version: "1.2.3")],
      of: "agent")
    try registry.add(
      waits.methods + [TestAgent.subtract, TestAgent.sum, TestAgent.getData, TestAgent.echo], of: "test")
  }

  /// Listens where ``path`` says, with the given globs.
  func listen(allow: [String]? = nil) throws {
    try server.listen(Listener.Address(path: path, allow: allow?.map { Glob($0) }))
  }

  /// Serves one end of a pair of sockets.
  ///
  /// - Returns: The agent's stream, and the other end.
  func pair() throws -> (stream: ByteStream, socket: CInt) {
    var sockets: [CInt] = [0, 0]
    let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, type, 0, &sockets) == 0 else { throw SystemError.last("socketpair") }
    let stream = try ByteStream(socket: sockets[0])
    server.serve(stream) {}
    return (stream, sockets[1])
  }

  nonisolated func connect(_ framing: Framing = .newline) throws -> TestClient {
    try TestClient(path, framing: framing)
  }

  /// Ends it without waiting for anybody.
  func stop() {
    server.stopListening()
    server.close()
    waits.openAll()
  }

  // MARK: Methods of the specification's examples

  private static let subtract = Method(
    "subtract", "Subtracts.",
    params: .object(
      ["minuend": .integer("From what."), "subtrahend": .integer("What.")], required: ["minuend", "subtrahend"]),
    result: .integer("The difference."),
    handler: .sync { params, _ in JSONValue((params["minuend"]?.int ?? 0) - (params["subtrahend"]?.int ?? 0)) })

  private static let sum = Method(
    "sum", "Adds three numbers.",
    params: .object(["a": .integer("One."), "b": .integer("Another."), "c": .integer("A third.")]),
    result: .integer("The sum."),
    handler: .async { params, _ in
      JSONValue(["a", "b", "c"].reduce(0) { $0 + (params[$1]?.int ?? 0) })
    })

  /// Answers as `agent.echo` does, but by way of a value.
  private static let echo = Method(
    "test.echo", "Answers with its params.", params: .any.described("Anything."), result: .any.described("The params."),
    handler: .sync { params, _ in params })

  private static let getData = Method(
    "get_data", "Answers with data.", params: .object([:]), result: .any.described("Data."),
    handler: .sync { _, _ in ["hello", 5] })
}

/// Runs a test against an agent that listens, and ends it afterwards.
func withAgent(
  limits: Limits = Limits(), events: Int64 = 1_000_000, allow: [String]? = nil,
  _ body: (TestAgent) async throws -> Void
) async throws {
  let agent = try await onLoop {
    let agent = try TestAgent(limits: limits, events: events)
    try agent.listen(allow: allow)
    return agent
  }
  do { try await body(agent) } catch {
    try await onLoop { agent.stop() }
    throw error
  }
  try await onLoop { agent.stop() }
}
