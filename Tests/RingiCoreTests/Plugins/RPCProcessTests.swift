import EventLoop
import Glibc
import JSON
import JSONRPC
import RingiTestSupport
import Testing

@testable import RingiCore

/// Programs here are shell scripts, and time is the test's.
struct RPCProcessTests {
  @Loop
  private final class Owner: RPCProcess.Owner {
    private(set) var served: [(method: String, params: JSONValue)] = []
    private(set) var complaints: [String] = []
    let hasServed = Gate()

    func serve(_ method: String, _ params: JSONValue, from process: RPCProcess) async throws -> JSONValue {
      served.append((method, params))
      hasServed.open()
      return "served"
    }

    func wroteError(_ bytes: UnsafeRawBufferPointer) {}

    func complain(_ sentence: String) { complaints.append(sentence) }
  }

  @Loop
  private static func start(
    _ script: String, _ owner: Owner, _ clock: TestClock, _ bounds: RPCProcess.Bounds = .init()
  ) throws -> RPCProcess {
    let command = ChildProcess.Command(["/bin/sh", "-c", script], environment: ["PATH": "/usr/bin:/bin"])
    return try RPCProcess(
      command, name: "p", dialect: .ringi, bounds: bounds, clock: clock, redactor: Redactor(), owner: owner)
  }

  /// Answers each line with what stands for its id in `$id`.
  private static func answering(_ answer: String) -> String {
    #"while read -r line; do id=${line#*\"id\":}; id=${id%%,*}; "# + answer + "; done"
  }

  private static let echo = answering(#"echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$id}""#)

  @Test("A call gets the answer with its id")
  func call() async throws {
    try await onLoop {
      let (owner, clock) = (Owner(), TestClock())
      let process = try Self.start(Self.echo, owner, clock)
      #expect(try await process.call("a", [:], within: .seconds(5)) == 1)
      #expect(try await process.call("b", [:], within: .seconds(5)) == 2)
      await process.stop(term: .seconds(5), kill: .seconds(10))
      #expect(process.status == .exited(0) && clock.pending == 0)
    }
  }

  @Test("A call that is not answered ends with its time, and the program is told")
  func timeOut() async throws {
    try await onLoop {
      let (owner, clock) = (Owner(), TestClock())
      // It hands back what it is told, as notifications.
      let process = try Self.start(
        #"read -r a; read -r b; echo "{\"jsonrpc\":\"2.0\",\"method\":\"told\",\"params\":$b}"; read -r c"#, owner,
        clock)
      let call = Loop.task { try await process.call("a", [:], within: .seconds(5)) }
      try await clock.sleepers(1)
      clock.advance(by: .seconds(5))
      let error = await #expect(throws: RPCError.self) { try await call.value }
      #expect(error?.kind == "unavailable" && error?.message.contains("p has not answered a within 5s") == true)
      try await owner.hasServed.wait()
      #expect(owner.served.first?.params["method"] == "$/cancelRequest")
      await process.stop(term: .seconds(5), kill: .seconds(10))
    }
  }

  @Test("A second answer to a call is complained about, one to a call that was given up is not")
  func secondAnswer() async throws {
    try await onLoop {
      let (owner, clock) = (Owner(), TestClock())
      // The second line is the first call's cancellation.
      let process = try Self.start(
        #"answer() { echo "{\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":$1}"; }; "#
          + "read -r a; read -r b; read -r c; answer 1; answer 2; answer 2; read -r d; answer 3; read -r e", owner,
        clock)
      let late = Loop.task { try await process.call("a", [:], within: .seconds(5)) }
      try await clock.sleepers(1)
      clock.advance(by: .seconds(5))
      await #expect(throws: RPCError.self) { try await late.value }
      #expect(try await process.call("b", [:], within: .seconds(60)) == 2)
      #expect(try await process.call("c", [:], within: .seconds(60)) == 3)
      await process.stop(term: .seconds(5), kill: .seconds(10))
      #expect(owner.complaints.map { $0.prefix(42) } == ["The plugin answered a call a second time: "])
    }
  }

  @Test("What the program asks is answered under its own id")
  func serving() async throws {
    try await onLoop {
      let (owner, clock) = (Owner(), TestClock())
      let process = try Self.start(
        #"echo '{"jsonrpc":"2.0","id":"x","method":"ask"}'; read -r a; read -r b; "#
          + #"case "$a" in *'"id":"x","result":"served"'*) echo '{"jsonrpc":"2.0","id":1,"result":true}';; esac; read -r c"#,
        owner, clock)
      try await owner.hasServed.wait()
      #expect(try await process.call("a", [:], within: .seconds(5)) == true)
      await process.stop(term: .seconds(5), kill: .seconds(10))
    }
  }

  @Test("The end of the program ends its calls at once")
  func end() async throws {
    try await onLoop {
      let (owner, clock) = (Owner(), TestClock())
      let process = try Self.start("read -r a; exit 7", owner, clock)
      let error = await #expect(throws: RPCError.self) { try await process.call("a", [:], within: .seconds(60)) }
      #expect(error?.kind == "plugin-down")
      try await process.ended()
      #expect(process.status == .exited(7) && clock.pending == 0)
      let later = await #expect(throws: RPCError.self) { try await process.call("a", [:], within: .seconds(60)) }
      #expect(later?.kind == "plugin-down")
    }
  }

  @Test("A program that heeds neither its input's end nor SIGTERM is killed after ten seconds")
  func stubborn() async throws {
    try await onLoop {
      let (owner, clock) = (Owner(), TestClock())
      let process = try Self.start(
        #"trap 'echo "{\"jsonrpc\":\"2.0\",\"method\":\"term\"}"' TERM; "#
          + #"echo "{\"jsonrpc\":\"2.0\",\"method\":\"ready\"}"; while :; do sleep 0.01; done"#, owner, clock)
      try await owner.hasServed.wait()
      let stop = Loop.task { await process.stop(term: .seconds(5), kill: .seconds(10)) }
      try await clock.sleepers(2)
      clock.advance(by: .seconds(5))
      #expect(process.status == nil)
      clock.advance(by: .seconds(5))
      try await stop.value
      #expect(process.status == .signalled(SIGKILL))
    }
  }

  @Test("A program that closes its output and lives on is ended")
  func mute() async throws {
    try await onLoop {
      let (owner, clock) = (Owner(), TestClock())
      let process = try Self.start("exec >&-; sleep 1000", owner, clock)
      try await clock.sleepers(1)
      clock.advance(by: .seconds(1))
      try await process.ended()
      #expect(process.failure == "It closed its standard output." && process.status == .signalled(SIGKILL))
    }
  }

  @Test("A program that writes anything but messages is ended after a thousand lines of it")
  func listing() async throws {
    try await onLoop {
      let (owner, clock) = (Owner(), TestClock())
      let process = try Self.start("exec yes", owner, clock)
      try await process.ended()
      #expect(process.failure?.contains("no JSON-RPC message") == true)
      #expect(owner.complaints.count == 1000)
    }
  }

  @Test("Calls beyond the bound are refused, and so are those for which the program has no room")
  func bounds() async throws {
    try await onLoop {
      let (owner, clock) = (Owner(), TestClock())
      var bounds = RPCProcess.Bounds()
      (bounds.calls, bounds.unsentBytes) = (2, 100)
      let process = try Self.start("sleep 1000", owner, clock, bounds)
      let calls = (0..<2).map { _ in Loop.task { try await process.call("a", [:], within: .seconds(60)) } }
      try await clock.sleepers(2)
      let error = await #expect(throws: RPCError.self) { try await process.call("a", [:], within: .seconds(60)) }
      #expect(error?.kind == "overloaded")
      process.fail("enough")
      for call in calls { await #expect(throws: RPCError.self) { try await call.value } }
      try await process.ended()

      bounds.calls = 10
      let full = try Self.start("sleep 1000", owner, clock, bounds)
      let large = Loop.task {
        try await full.call("a", ["x": JSONValue(String(repeating: "x", count: 200_000))], within: .seconds(60))
      }
      try await clock.sleepers(1)
      let refusal = await #expect(throws: RPCError.self) { try await full.call("a", [:], within: .seconds(60)) }
      #expect(refusal?.kind == "overloaded")
      full.fail("enough")
      await #expect(throws: RPCError.self) { try await large.value }
      try await full.ended()
    }
  }
}
