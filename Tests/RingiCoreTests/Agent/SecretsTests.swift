import EventLoop
import Foundation
import HTTPServer
import JSON
import RingiCore
import RingiTestSupport
import Sandbox
import Testing

/// The value of a secret leaves the agent towards its backend and nowhere else.
@Suite(.timeLimit(.minutes(5))) struct SecretsTests {
  private static let secret = "s3cr3t/Pä+ß="

  enum Place: CaseIterable, Sendable { case value, environment, file, command, credential }

  @Test(arguments: Place.allCases) func noAnswerEventOrStatusShowsAPassword(_ place: Place) async throws {
    let folder = try TemporaryFolder()
    try folder.write("secret", Self.secret + "\n")
    let setting: JSONValue =
      switch place {
      case .value: JSONValue(Self.secret)
      case .environment: ["env": "SECRET"]
      case .file: ["file": JSONValue("\(folder.path)/secret")]
      case .command: ["command": ["cat", JSONValue("\(folder.path)/secret")]]
      case .credential: ["credential": "secret"]
      }
    let rig = try await AgentRig(
      settings: ["password": setting],
      variables: [
        "SECRET": Self.secret, "CREDENTIALS_DIRECTORY": folder.path,
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      ])
    var said: [JSONValue] = []
    // A wrong password, then the right one and answers that are of no use, then no backend at all.
    said.append(try rig.error("tasks.refresh"))
    #expect(rig.control.requests.contains { $0.request.headers["Authorization"] == basic })
    rig.control.setUser(SAPUser(name: "P1000009", password: Self.secret, role: .admin))
    try rig.refresh()
    try rig.inject(.malformedJSON, on: "GET /v1/task-instances")
    said.append(try rig.error("tasks.refresh"))
    rig.sandbox.stop()
    said.append(try rig.error("tasks.refresh"))
    said += try ["agent.status", "plugins.list", "jobs.list", "hooks.list", "events.list"].map { try rig.call($0) }
    try await rig.stop()
    for value in said { try expectSilence(in: value.description) }
  }

  @Test func aBackendThatRepeatsASecretIsNotQuoted() async throws {
    let rig = try await AgentRig(settings: ["password": JSONValue(Self.secret)])
    _ = try rig.error("tasks.refresh")
    // As if a backend had told it in its own words.
    let published = try rig.call(
      "events.publish", ["type": "gossip", "data": ["it is": JSONValue("«\(Self.secret)»"), "n": [1, true]]])
    #expect(published["event"]?["data"] == ["it is": "«•••»", "n": [1, true]])
    try expectSilence(in: rig.call("events.list").description)
    let unknown = try rig.error("plugins.get", ["plugin": JSONValue(Self.secret)])
    try expectSilence(in: unknown.description)
    try await rig.stop()
  }

  @Test func anAccessTokenIsASecretToo() async throws {
    let rig = try await AgentRig(.cf)
    try rig.refresh()
    let header = try #require(
      rig.control.requests.compactMap { $0.request.headers["Authorization"] }.last { $0.hasPrefix("Bearer ") })
    let token = String(header.dropFirst("Bearer ".count))
    let published = try rig.call("events.publish", ["type": "gossip", "data": ["token": JSONValue(token)]])
    #expect(published["event"]?["data"] == ["token": "•••"])
    try await rig.stop()
  }

  private var basic: String { "Basic " + Data("P1000009:\(Self.secret)".utf8).base64EncodedString() }

  private func expectSilence(in text: String) throws {
    let inner = Data(Self.secret.utf8).base64EncodedString()
    let encoded = try #require(Self.secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    for form in [Self.secret, inner, String(basic.dropFirst(6)), encoded, encoded.lowercased()] {
      #expect(!text.contains(form), "\(form) in \(text)")
    }
  }
}
