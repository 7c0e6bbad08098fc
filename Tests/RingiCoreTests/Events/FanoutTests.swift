import EventLoop
import Glibc
import JSON
import RingiModel
import RingiTestSupport
import Testing

@testable import RingiCore

@Suite(.timeLimit(.minutes(5)))
struct FanoutTests {
  @Test func eventsComeInTheOrderOfTheirPublishingWithoutRepeats() async throws {
    try await onLoop {
      let client = try Subscriber()
      client.subscribe()
      await client.turn()
      _ = client.received()
      let bus = client.bus
      let tasks = ["a", "b", "c"].map { type in Loop.task { try await bus.publish([EventDraft(EventType(type))]) } }
      for task in tasks { _ = try await task.value }
      await client.turn()
      #expect(client.received() == ["a", "b", "c"])
    }
  }

  @Test func whatTheReplayToldIsNotToldAgain() async throws {
    try await onLoop {
      let client = try Subscriber()
      client.subscribe(since: 0)
      try await client.bus.publish([EventDraft(EventType("a"))])
      await client.turn()
      try await client.bus.publish([EventDraft(EventType("b"))])
      await client.turn()
      #expect(client.received() == ["response", "a", "b"])
    }
  }

  @Test func whoAsksForASequenceToComeHearsOfTheNextEvent() async throws {
    try await onLoop {
      let client = try Subscriber()
      client.subscribe(since: 1000)
      await client.turn()
      try await client.bus.publish([EventDraft(EventType("a"))])
      await client.turn()
      #expect(client.received() == ["response", "a"])
    }
  }

  @Test func aClientWhoLeavesIsToldWhatHappenedBefore() async throws {
    try await onLoop {
      let client = try Subscriber()
      client.subscribe()
      await client.turn()
      try await client.bus.publish([EventDraft(EventType("a"))])
      client.session.finishClosing()
      #expect(!client.isClosed)
      await client.turn()
      #expect(client.received() == ["response", "a"])
      #expect(client.isClosed)
    }
  }
}

/// A session at one end of a pair of sockets, and its client at the other.
@Loop
private final class Subscriber {
  let bus: EventBus
  let session: Session
  var isClosed: Bool { session.stream.isClosed }
  private let socket: CInt

  init() throws {
    let clock = TestClock()
    bus = try EventBus.inMemory(clock: clock)
    let registry = Registry()
    try registry.add(EventMethods.all(bus), of: "agent")
    let environment = SessionEnvironment(
      registry: registry, bus: bus, clock: clock, redactor: Redactor(), limits: Limits(), counters: Counters())
    var pair: [CInt] = [-1, -1]
    guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0 else { throw SystemError.last("socketpair") }
    socket = pair[1]
    session = Session(
      stream: try ByteStream(socket: pair[0]), listener: "test", access: AccessList(nil, registry: registry),
      environment: environment, onClose: { _ in })
  }

  deinit { close(socket) }

  func subscribe(since: Int? = nil) {
    let params: JSONValue = since.map { ["since": JSONValue($0)] } ?? [:]
    let request: JSONValue = ["jsonrpc": "2.0", "id": 1, "method": "events.subscribe", "params": params]
    (request.utf8 + [0x0A]).withUnsafeBufferPointer { session.received($0) }
  }

  /// Returns once what is to leave in this turn has left.
  func turn() async {
    await withCheckedContinuation { Loop.flushAtEndOfTurn(TurnEnd($0)) }
  }

  /// What came: the types of the events, and "response" for a response.
  func received() -> [String] {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = max(0, recv(socket, &bytes, bytes.count, CInt(MSG_DONTWAIT)))
    return bytes[..<count].split(separator: 0x0A).compactMap {
      let message = try? JSONValue(parsing: Array($0))
      return message?["id"] == nil ? message?["method"]?.string : "response"
    }
  }
}

@Loop
private final class TurnEnd: Flushable {
  private let continuation: CheckedContinuation<Void, Never>

  init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }

  func flush() { continuation.resume() }
}
