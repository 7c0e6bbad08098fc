import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

/// What systemd expects of a service.
@Suite(.timeLimit(.minutes(5))) struct ServiceManagerTests {
  @Test func systemdIsToldOfEachStep() throws {
    let folder = try AgentFolder()
    let notifications = try DatagramSocket(folder.path("notify"))
    let agent = try Program(
      "ringid", folder.arguments + ["--socket", folder.socket],
      environment: ["NOTIFY_SOCKET": folder.path("notify"), "WATCHDOG_USEC": "100000"])
    #expect(try notifications.receive() == ["READY=1"])
    #expect(try folder.client().call("agent.ping") == "pong")
    for _ in 0..<3 { _ = try notifications.receive("WATCHDOG=1") }
    agent.send(SIGHUP)
    let reloading = try notifications.receive("RELOADING=1")
    #expect(reloading.count == 2 && reloading[1].wholeMatch(of: /MONOTONIC_USEC=\d+/) != nil)
    _ = try notifications.receive("READY=1")
    agent.send(SIGTERM)
    _ = try notifications.receive("STOPPING=1")
    #expect(agent.wait() == 0)
  }

  private static let parent = """
    import os, socket, sys
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen()
    if listener.fileno() != 3: os.dup2(listener.fileno(), 3)
    os.set_inheritable(3, True)
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
    os.execv(sys.argv[2], sys.argv[2:])
    """

  @Test(.enabled(if: Program.isInstalled("python3"))) func aSocketThatWasPassedOnIsServedAndLeft() throws {
    let folder = try AgentFolder()
    try folder.write("ringi.json", #"{"listen": [{"socket": "\#(folder.socket)", "allow": ["agent.ping"]}]}"#)
    let ringid = Program.folder.appendingPathComponent("ringid").path
    let agent = try Program("python3", ["-c", Self.parent, folder.socket, ringid] + folder.arguments)
    let client = try folder.client(of: agent)
    #expect(try client.call("agent.ping") == "pong")
    #expect(try client.refusal("agent.status")?["data"]?["kind"] == "forbidden")
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
    // It belongs to whoever made it, and the next agent gets it again.
    #expect(FileManager.default.fileExists(atPath: folder.socket))
  }

  @Test(.enabled(if: Program.isInstalled("python3"))) func socketsForAnotherProcessAreNotTouched() throws {
    let folder = try AgentFolder()
    let ringid = Program.folder.appendingPathComponent("ringid").path
    let script = Self.parent.replacing("str(os.getpid())", with: "str(os.getppid())")
    let agent = try Program(
      "python3", ["-c", script, folder.path("theirs"), ringid, "--socket", folder.socket] + folder.arguments)
    #expect(try folder.client(of: agent).call("agent.status")["listeners"]?.array?.count == 1)
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }
}
