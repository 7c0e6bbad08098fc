import EventLoop
import Glibc
import JSON
import RingiCore
import RingiTestSupport
import Testing

@Suite struct ListenerTests {
  @Test func severalSocketsServeOneAgent() async throws {
    try await withAgent { agent in
      let path = "\(agent.folder.path)/other.sock"
      try await onLoop { try agent.server.listen(Listener.Address(path: path, mode: 0o660)) }
      let (one, other) = (try agent.connect(), try TestClient(path))
      try one.call("events.subscribe")
      try other.call("events.publish", ["type": "x.one"])
      #expect(try one.notification("x.one")["event"]?["type"] == "x.one")
      let listed = try await onLoop { agent.server.json }
      #expect(listed.array?.map { $0["socket"] } == [JSONValue(agent.path), JSONValue(path)])
      #expect(listed[1]?["mode"] == "0660")
    }
  }

  @Test func anAgentThatStopsListeningRemovesItsFileAndKeepsItsClients() async throws {
    try await withAgent { agent in
      let client = try agent.connect()
      try client.call("agent.ping")
      try await onLoop { agent.server.stopListening() }
      #expect(access(agent.path, F_OK) != 0)
      #expect(try client.call("agent.ping") == "pong")
    }
  }

  @Test func aChangeOfAddressesKeepsTheOnesThatStayAndTheirClients() async throws {
    try await withAgent { agent in
      let new = "\(agent.folder.path)/new.sock"
      let client = try agent.connect()
      let problems = try await onLoop {
        agent.server.replace([
          Listener.Address(path: agent.path), Listener.Address(path: new),
          Listener.Address(path: String(repeating: "x", count: 200)),
        ])
      }
      #expect(problems.count == 1)
      #expect(problems.first?.contains("200 bytes") == true)
      #expect(try client.call("agent.ping") == "pong")
      #expect(try TestClient(new).call("agent.ping") == "pong")
      _ = try await onLoop { agent.server.replace([Listener.Address(path: new)]) }
      #expect(access(agent.path, F_OK) != 0)
      #expect(try client.call("agent.ping") == "pong")
    }
  }

  @Test func clientsOverTheLimitWaitUntilOthersLeave() async throws {
    var limits = Limits()
    limits.connections = 2
    try await withAgent(limits: limits) { agent in
      let (first, second) = (try agent.connect(), try agent.connect())
      #expect(try first.call("agent.ping") == "pong")
      #expect(try second.call("agent.ping") == "pong")
      let third = try agent.connect()
      let id = try third.ask("agent.ping")
      #expect(try first.call("agent.ping") == "pong")
      // The listener rests, and looks again after a while.
      try await onLoop {
        try await agent.clock.sleepers(1)
        agent.clock.advance(by: .seconds(1))
        #expect(agent.server.count == 2)
      }
      first.close()
      try await onLoop {
        while agent.server.count == 2 { await Task.yield() }
        agent.clock.advance(by: .seconds(1))
      }
      #expect(try third.response(to: id)["result"] == "pong")
    }
  }

  @Test func withoutADescriptorToSpareTheAgentServesOnAndRests() async {
    await #expect(processExitsWith: .success) {
      try await withAgent { agent in
        let client = try agent.connect()
        try client.call("agent.ping")
        let taken = try await onLoop { try Self.takeAllDescriptors() }
        let waiting = try agent.connect()
        let id = try waiting.ask("agent.ping")
        // Nothing asks the system again until the clock says so.
        try await onLoop { try await agent.clock.sleepers(1) }
        #expect(try client.call("agent.ping") == "pong")
        try await onLoop {
          #expect(agent.server.count == 1)
          agent.clock.advance(by: .seconds(1))
          try await agent.clock.sleepers(1)
          for descriptor in taken { close(descriptor) }
          agent.clock.advance(by: .seconds(1))
        }
        #expect(try waiting.response(to: id)["result"] == "pong")
      }
    }
  }

  /// Leaves the calling thread, and only it, without a free descriptor: it gets a table of its own, which is filled up.
  private static func takeAllDescriptors() throws -> [CInt] {
    typealias Unshare = @convention(c) (CInt) -> CInt
    // Declared for GNU sources alone, which Swift's importer is not; it takes and returns an int.
    let unshare = unsafeBitCast(try #require(dlsym(nil, "unshare")), to: Unshare.self)
    let cloneFiles: CInt = 0x400
    #expect(unshare(cloneFiles) == 0)
    var limit = rlimit(rlim_cur: 64, rlim_max: 64)
    #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    var taken: [CInt] = []
    while case let copy = dup(0), copy >= 0 { taken.append(copy) }
    return taken
  }
}
