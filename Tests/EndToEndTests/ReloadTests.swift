import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ReloadTests {
  private enum Change: CaseIterable, Sendable { case byRename, inPlace, byLink }

  /// What the hook `h` listens for now.
  private func types(_ client: TestClient) throws -> JSONValue? {
    try client.call("hooks.list")["hooks"]?[0]?["on"]
  }

  private func hook(_ number: Int) -> String { #"{"on": ["x\#(number)"], "run": ["true"]}"# }

  @Test(arguments: [Change.byRename, .inPlace, .byLink]) private func aHangUpReadsEachChange(_ change: Change) throws {
    let folder = try AgentFolder(["hooks.d/h.json": hook(0)])
    let agent = try folder.startAgent()
    let client = try folder.client()
    for number in 1...5 {
      switch change {
      case .byRename: try folder.write("hooks.d/h.json", hook(number))
      case .inPlace:
        let file = try #require(FileHandle(forWritingAtPath: "\(folder.config)/hooks.d/h.json"))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(hook(number).utf8))
        try file.close()
      case .byLink: try swapFolder(folder, number)
      }
      agent.send(SIGHUP)
      #expect(agent.waitFor { _ in (try? types(client)) == ["x\(number)"] }, "\(number)")
    }
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }

  /// Puts another folder into the place of hooks.d, as a volume of Kubernetes does.
  private func swapFolder(_ folder: AgentFolder, _ number: Int) throws {
    let (target, link, place) = (folder.path("v\(number)"), folder.path("link"), "\(folder.config)/hooks.d")
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    try hook(number).write(toFile: "\(target)/h.json", atomically: true, encoding: .utf8)
    if number == 1 { try FileManager.default.removeItem(atPath: place) }
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    #expect(rename(link, place) == 0)
  }

  @Test func listenersComeAndGoAndTheOthersClientsStay() throws {
    let folder = try AgentFolder()
    func listen(_ names: [String]) throws {
      let list = names.map { #"{"socket": "\#(folder.path($0))"}"# }.joined(separator: ", ")
      try folder.write("ringi.json", "{\"listen\": [\(list)]}")
    }
    try listen(["agent.sock", "old.sock"])
    let agent = try Program("ringid", folder.arguments)
    let client = try folder.client(of: agent)
    let old = try agent.connect(folder.path("old.sock"))
    try listen(["agent.sock", "new.sock"])
    #expect(try client.call("agent.reload")["changed"] == ["ringi.json"])
    #expect(try agent.connect(folder.path("new.sock")).call("agent.ping") == "pong")
    #expect(!FileManager.default.fileExists(atPath: folder.path("old.sock")))
    #expect(try old.call("agent.ping") == "pong")
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
    #expect(!FileManager.default.fileExists(atPath: folder.path("new.sock")))
  }

  @Test func anAddressThatCanNotBeHadIsAProblemOfTheStatus() throws {
    let folder = try AgentFolder()
    try "no socket".write(toFile: folder.path("file"), atomically: true, encoding: .utf8)
    try folder.write("ringi.json", #"{"listen": [{"socket": "\#(folder.socket)"}]}"#)
    let agent = try Program("ringid", folder.arguments)
    let client = try folder.client(of: agent)
    try folder.write(
      "ringi.json", #"{"listen": [{"socket": "\#(folder.socket)"}, {"socket": "\#(folder.path("file"))"}]}"#)
    try client.call("agent.reload")
    let problems = try client.call("agent.status")["problems"]
    #expect(problems?.description.contains(folder.path("file")) == true, "\(problems ?? .null)")
    #expect(try folder.client().call("agent.ping") == "pong")
    try folder.write("ringi.json", #"{"listen": [{"socket": "\#(folder.socket)"}]}"#)
    try client.call("agent.reload")
    #expect(try client.call("agent.status")["problems"] == [])
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
  }
}
