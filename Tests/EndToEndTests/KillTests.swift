import Foundation
import Glibc
import JSON
import RingiTestSupport
import Sandbox
import Testing

/// An agent that is killed at any moment tells of everything once, and approves nothing twice.
@Suite(.timeLimit(.minutes(5)), .serialized) struct KillTests {
  /// A backend, and what a test did to it and heard of it.
  private final class World {
    let sap: SAPWorld
    var keys: [String] = []
    /// The tasks that an approval was asked for, and those where it was answered with success.
    var asked: Set<String> = []
    var approved: Set<String> = []
    var control: SAPControl { sap.control }

    init() throws {
      sap = try SAPWorld(poll: "50ms", settleAfter: "500ms")
      let command = "echo $RINGI_EVENT_SEQUENCE >> \(sap.folder.path("noted"))"
      try sap.folder.write(
        "hooks.d/note.json", #"{"on": ["task-ready", "approval-done"], "shell": "\#(command)"}"#)
    }

    /// One step of a life of the agent; throws once the agent is gone.
    func act(_ client: TestClient) throws {
      switch Int.random(in: 0..<6) {
      case 0, 1: keys += try control.createTasks(count: Int.random(in: 1...3))
      case 2: try client.call("tasks.refresh")
      case 3:
        // Somebody decides elsewhere about something that was told.
        let tasks = try client.call("tasks.list", ["limit": 3])["tasks"]?.array.map(Array.init) ?? []
        guard let key = tasks.randomElement()?["id"]?.string.map({ String($0.dropFirst(4)) }), !asked.contains(key)
        else { return }
        // Refused where it is decided already.
        try? control.completeElsewhere(key, by: "P1000002")
      default:
        let tasks = try client.call("tasks.list", ["limit": 5])["tasks"]?.array.map(Array.init) ?? []
        guard let id = tasks.randomElement()?["id"]?.string else { return }
        asked.insert(String(id.dropFirst(4)))
        let answer = try client.response(to: try client.ask("tasks.approve", ["task": JSONValue(id)]))
        if answer["result"]?["task"]?["outcome"] == "approved", answer["result"]?["already"] == nil {
          approved.insert(String(id.dropFirst(4)))
        }
      }
    }

    /// The events so far, all of them.
    func events(_ client: TestClient) throws -> [JSONValue] {
      var (found, since): ([JSONValue], JSONValue) = ([], 0)
      while true {
        let page = try client.call("events.list", ["since": since, "limit": 10_000])
        guard let events = page["events"]?.array, !events.isEmpty, let sequence = page["sequence"] else { return found }
        found += events
        since = sequence
      }
    }
  }

  @Test func nothingIsLostToldTwiceOrDoneTwice() throws {
    let world = try World()
    for _ in 0..<200 {
      let agent = try world.sap.launch()
      let pid = agent.pid
      Thread.detachNewThread {
        usleep(UInt32.random(in: 0...400_000))
        kill(pid, SIGKILL)
      }
      do {
        let client = try world.sap.client(of: agent)
        while true { try world.act(client) }
      } catch {
        // It was killed.
        #expect(agent.wait() == -SIGKILL)
      }
    }
    let agent = try world.sap.launch()
    let client = try world.sap.client(of: agent)
    try settle(world, agent, client)
    try check(world, try world.events(client))
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  /// Waits until what was begun in former lives is settled.
  private func settle(_ world: World, _ agent: Program, _ client: TestClient) throws {
    let isSettled = agent.waitFor { _ in
      guard (try? client.call("tasks.refresh")) != nil,
        let list = try? client.call("tasks.list", ["limit": 10_000])["tasks"]?.array,
        let hook = try? client.call("hooks.list")["hooks"]?[0]
      else { return false }
      // The backend and the agent agree about what is still open, no decision is under way, and the hook has had its turn.
      let open = Set(list.compactMap { $0["id"]?.string.map { String($0.dropFirst(4)) } })
      let expected = Set(world.keys.filter { world.control.task($0)?.status == .ready })
      let pending = try? client.call("agent.status")["pendingDecisions"]?.int
      return open == expected && pending == 0 && hook["backlog"] == 0
    }
    #expect(isSettled)
  }

  private func check(_ world: World, _ events: [JSONValue]) throws {
    #expect(events.compactMap { $0["sequence"]?.int } == (0..<events.count).map { Int64($0 + 1) })
    #expect(Set(events.compactMap { $0["id"]?.string }).count == events.count)
    func count(_ type: String, _ key: String, via: JSONValue? = nil) -> Int {
      events.filter {
        $0["type"]?.string == type && $0["subject"]?.string == "sap/\(key)" && (via == nil || $0["data"]?["via"] == via)
      }.count
    }
    for key in world.keys {
      let task = try #require(world.control.task(key))
      let (ready, done) = (count("task-ready", key), count("approval-done", key))
      let completions = world.control.completions(of: key)
      #expect(completions <= 1, "\(key) was completed twice")
      if task.status == .ready {
        #expect(ready == 1 && done == 0, "\(key) waits: told \(ready) times, done \(done) times")
      } else {
        #expect(ready == 1 && done == 1, "\(key) is decided: told \(ready) times, done \(done) times")
        #expect(
          count("approval-done", key, via: "agent") == completions, "\(key) was decided \(completions) times by us")
      }
      if world.approved.contains(key) { #expect(completions == 1) }
    }
    #expect(world.keys.count > 50 && world.approved.count > 10)
    // The hook ran for each event at least once, and the first time in their order.
    let wanted = events.filter { ["task-ready", "approval-done"].contains($0["type"]?.string ?? "") }
      .compactMap { $0["sequence"]?.int }
    let noted = try String(contentsOfFile: world.sap.folder.path("noted"), encoding: .utf8)
      .split(separator: "\n").compactMap { Int64($0) }
    var seen: Set<Int64> = []
    let firsts = noted.filter { seen.insert($0).inserted }
    #expect(seen.subtracting(wanted).isEmpty && Set(wanted).subtracting(seen).isEmpty)
    #expect(firsts == firsts.sorted())
  }
}
