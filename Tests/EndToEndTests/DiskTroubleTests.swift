import Foundation
import Glibc
import JSON
import RingiTestSupport
import Sandbox
import Testing

/// What an agent does when its state directory is full, read-only, gone or damaged.
@Suite(.timeLimit(.minutes(4)), .serialized) struct DiskTroubleTests {
  /// Whether a disk of a test's own can be mounted; some containers forbid it.
  static let canMount: Bool = {
    let result = try? Program.run("unshare", ["--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"])
    return result?.status == 0
  }()

  /// An agent in a namespace of its own, where `script` has mounted something on the state directory, `$0`.
  private func launch(_ world: SAPWorld, mounting script: String) throws -> Program {
    try FileManager.default.createDirectory(atPath: world.folder.state, withIntermediateDirectories: true)
    let ringid = Program.folder.appendingPathComponent("ringid").path
    return try Program(
      "unshare",
      ["--map-root-user", "--mount", "sh", "-c", "\(script) && exec \"$@\"", world.folder.state, ringid]
        + world.arguments, environment: SAPWorld.environment)
  }

  /// Runs a command where the agent is.
  private func run(_ command: [String], beside agent: Program) throws {
    let result = try Program.run(
      "nsenter", ["--target", "\(agent.pid)", "--user", "--mount", "--preserve-credentials"] + command)
    #expect(result.status == 0, "\(result.errors)")
  }

  /// A task that is known and ready.
  private func readyTask(_ world: SAPWorld, _ client: TestClient) throws -> (id: JSONValue, key: String) {
    let key = try #require(try world.control.createTasks().first)
    try client.call("tasks.refresh")
    return (JSONValue("sap/\(key)"), key)
  }

  private func count(_ type: String, _ client: TestClient) throws -> Int {
    try client.call("events.list", ["types": [JSONValue(type)], "limit": 10_000])["events"]?.array?.count ?? -1
  }

  private func problems(_ client: TestClient) throws -> [String] {
    try client.call("agent.status")["problems"]?.array?.compactMap(\.string) ?? []
  }

  private func end(_ agent: Program) {
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  // MARK: A full disk

  @Test(.enabled(if: canMount))
  func onAFullDiskNothingIsDecidedAndAllGoesOnWhenThereIsRoomAgain() throws {
    let world = try SAPWorld()
    let agent = try launch(world, mounting: "mount -t tmpfs -o size=1m none \"$0\"")
    let client = try world.client(of: agent)
    let first = try readyTask(world, client)
    let filler = "/proc/\(agent.pid)/root\(world.folder.state)/filler"
    try fill(filler)
    // The log of the store has some room of its own.
    let padding = JSONValue(String(repeating: "x", count: 20_000))
    var refusal: JSONValue?
    for _ in 0..<100 where refusal == nil {
      refusal = try client.refusal("events.publish", ["type": "x.pad", "data": padding])
    }
    #expect(refusal?["code"] == -32006 && refusal?["data"]?["reason"] == "store-full")
    let refused = try client.refusal("tasks.approve", ["task": first.id])
    #expect(refused?["code"] == -32006 && refused?["data"]?["kind"] == "unavailable")
    #expect(refused?["message"]?.string?.contains("full") == true)
    #expect(world.control.completions(of: first.key) == 0)
    #expect(try problems(client).contains { $0.contains("full") && $0.contains(world.folder.state) })
    let doctor = try Program.run("ringi", ["--socket", world.folder.socket, "doctor"])
    #expect(doctor.status == 1 && doctor.output.contains("is full.") && doctor.output.contains("Free some space."))

    // Polls and lists go on, and what they find is announced when it can be recorded.
    let ready = try count("task-ready", client)
    let second = try readyTask(world, client)
    let listed = try client.call("tasks.list")["tasks"]?.array?.compactMap { $0["id"] } ?? []
    #expect(Set(listed.compactMap(\.string)) == Set([first.id, second.id].compactMap(\.string)))
    #expect(try count("task-ready", client) == ready)

    unlink(filler)
    let answer = try client.call("tasks.approve", ["task": first.id])
    #expect(answer["event"]?["type"] == "approval-done")
    #expect(world.control.completions(of: first.key) == 1)
    #expect(agent.waitFor { _ in (try? count("task-ready", client)) == ready + 1 })
    #expect(try problems(client).isEmpty)
    end(agent)
  }

  private func fill(_ path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let block = [UInt8](repeating: 0, count: 4096)
    while write(descriptor, block, block.count) > 0 {}
    #expect(errno == ENOSPC)
  }

  // MARK: A directory that can only be read

  @Test(.enabled(if: canMount))
  func inADirectoryThatCanOnlyBeReadItListsTasksUntilItIsWritable() throws {
    let world = try SAPWorld()
    try world.control.createTasks(count: 2)
    let agent = try launch(world, mounting: "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\"")
    let client = try world.client(of: agent)
    #expect(agent.waitFor { _ in (try? client.call("tasks.list")["tasks"]?.array?.count) == 2 })
    #expect(try problems(client).contains { $0.contains("can only be read") })
    let checks = try client.call("agent.doctor")["checks"]?.array.map(Array.init) ?? []
    #expect(checks.contains { $0["check"] == "disk" && $0["status"] == "problem" })
    let task = try #require(try client.call("tasks.list")["tasks"]?[0]?["id"])
    let refused = try client.refusal("tasks.approve", ["task": task])
    #expect(refused?["code"] == -32006 && refused?["data"]?["reason"] == "store-read-only")
    // What happened before is not known yet, and so nobody is told that nothing did.
    for call in ["events.list", "events.subscribe"] {
      #expect(try client.refusal(call, ["since": 5])?["data"]?["reason"] == "store-read-only")
    }
    try run(["mount", "-o", "remount,bind,rw", world.folder.state], beside: agent)
    #expect(try client.call("tasks.approve", ["task": task])["event"]?["type"] == "approval-done")
    try client.call("tasks.refresh")
    #expect(try problems(client).isEmpty)
    end(agent)
  }

  // MARK: A directory that is gone

  @Test func aDirectoryThatIsDeletedIsWrittenAnewWithAllThatWasInIt() throws {
    let world = try SAPWorld()
    let agent = try world.launch()
    let client = try world.client(of: agent)
    let task = try readyTask(world, client)
    try FileManager.default.removeItem(atPath: world.folder.state)
    #expect(try client.call("tasks.approve", ["task": task.id])["event"]?["sequence"] == 2)
    end(agent)
    let next = try world.launch()
    let again = try world.client(of: next)
    try again.call("tasks.refresh")
    #expect(try count("task-ready", again) == 1)
    #expect(try count("approval-done", again) == 1)
    end(next)
  }

  @Test(arguments: [["ringi.db"], ["ringi.db-wal"], ["ringi.db-wal", "ringi.db-shm"], ["agent.lock"]])
  func aFileThatIsDeletedIsMadeAnewAndNothingIsLost(names: [String]) throws {
    let world = try SAPWorld()
    let agent = try world.launch()
    let client = try world.client(of: agent)
    let task = try readyTask(world, client)
    for name in names { unlink("\(world.folder.state)/\(name)") }
    #expect(try client.call("tasks.approve", ["task": task.id])["event"]?["sequence"] == 2)
    // The directory is still this agent's.
    let second = try Program("ringid", world.folder.arguments + ["--stdio"], environment: SAPWorld.environment)
    #expect(second.wait() == EX_UNAVAILABLE)
    agent.send(SIGKILL)
    #expect(agent.wait() == -SIGKILL)
    let next = try world.launch()
    let again = try world.client(of: next)
    try again.call("tasks.refresh")
    let events = try again.call("events.list")["events"]?.array.map(Array.init) ?? []
    #expect(events.map { $0["type"] } == ["task-ready", "approval-done"])
    #expect(try again.call("audit.verify")["valid"] == true)
    end(next)
  }

  @Test func anotherFileInItsPlaceIsNotTouchedAndUsedAfterARestart() throws {
    let world = try SAPWorld()
    var agent = try world.launch()
    var client = try world.client(of: agent)
    for _ in 0..<3 { try client.call("events.publish", ["type": "x.one"]) }
    try client.call("agent.backup", ["file": JSONValue(world.folder.path("copy.db"))])
    for _ in 0..<30 { try client.call("events.publish", ["type": "x.two"]) }
    try FileManager.default.removeItem(atPath: "\(world.folder.state)/ringi.db")
    try FileManager.default.moveItem(atPath: world.folder.path("copy.db"), toPath: "\(world.folder.state)/ringi.db")
    let refused = try client.refusal("events.publish", ["type": "x.three"])
    #expect(refused?["data"]?["reason"] == "store-replaced" && refused?["data"]?["retryable"] == false)
    end(agent)
    agent = try world.launch()
    client = try world.client(of: agent)
    let events = try client.call("events.list", ["types": ["x.*"]])["events"]?.array.map(Array.init) ?? []
    #expect(events.map { $0["type"] } == ["x.one", "x.one", "x.one"])
    #expect(try problems(client).isEmpty)
    end(agent)
  }

  @Test func aLockThatIsALinkIsNotFollowed() throws {
    let world = try SAPWorld()
    try FileManager.default.createDirectory(atPath: world.folder.state, withIntermediateDirectories: true)
    let precious = world.folder.path("precious")
    try "precious".write(toFile: precious, atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(
      atPath: "\(world.folder.state)/agent.lock", withDestinationPath: precious)
    let agent = try world.launch()
    let client = try world.client(of: agent)
    #expect(try problems(client).contains { $0.contains("agent.lock") })
    end(agent)
    #expect(try String(contentsOfFile: precious, encoding: .utf8) == "precious")
  }

  // MARK: Damage

  @Test(arguments: [0, 100, 8192]) func aDamagedStoreIsSetAsideAndANewOneBegun(place: Int) throws {
    let world = try SAPWorld()
    let first = try world.launch()
    let task = try readyTask(world, try world.client(of: first))
    end(first)
    let path = "\(world.folder.state)/ringi.db"
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    try file.seek(toOffset: UInt64(place))
    try file.write(contentsOf: Data(repeating: 0xA5, count: 3000))
    try file.close()
    let damaged = try Data(contentsOf: URL(fileURLWithPath: path))

    let agent = try world.launch()
    let client = try world.client(of: agent)
    try client.call("tasks.refresh")
    let aside = try FileManager.default.contentsOfDirectory(atPath: world.folder.state)
      .filter { $0.hasPrefix("ringi.db.damaged-") && !$0.hasSuffix("-wal") }
    #expect(aside.count == 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: "\(world.folder.state)/\(aside[0])")) == damaged)
    #expect(try problems(client).contains { $0.contains(aside[0]) && $0.contains("ringi restore") })
    // What waits is announced once more, under a number that was not used before.
    let events = try client.call("events.list")["events"]?.array.map(Array.init) ?? []
    #expect(events.map { $0["type"] } == ["task-ready"])
    #expect(events.first?["sequence"]?.int ?? 0 > 1)
    #expect(try client.call("tasks.approve", ["task": task.id])["task"]?["outcome"] == "approved")
    end(agent)
  }

  @Test func aStoreOfALaterVersionIsRefusedAndLeftAlone() throws {
    let world = try SAPWorld()
    end(
      try { () in
        let agent = try world.launch()
        _ = try world.client(of: agent)
        return agent
      }())
    let path = "\(world.folder.state)/ringi.db"
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    // The user_version of SQLite's header.
    try file.seek(toOffset: 60)
    try file.write(contentsOf: Data([0, 0, 0, 99]))
    try file.close()
    let agent = try world.launch()
    #expect(agent.wait() == EX_UNAVAILABLE)
    #expect(agent.errorText.contains("schema 99"))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: world.folder.state).allSatisfy { !$0.contains("damaged") })
  }

  // MARK: One agent

  @Test func aSecondAgentOfOneStateDirectoryIsRefusedAndAKilledOneLeavesItFree() throws {
    let world = try SAPWorld()
    let first = try world.launch()
    _ = try world.client(of: first)
    for extra in [["--socket", world.folder.path("other.sock")], ["--stdio"]] {
      let second = try Program("ringid", world.folder.arguments + extra, environment: SAPWorld.environment)
      #expect(second.wait() == EX_UNAVAILABLE)
      #expect(second.errorText.contains("pid \(first.pid)"))
    }
    first.send(SIGKILL)
    #expect(first.wait() == -SIGKILL)
    let next = try world.launch()
    _ = try world.client(of: next)
    end(next)
  }
}
