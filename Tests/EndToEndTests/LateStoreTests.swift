import Foundation
import Glibc
import JSON
import RingiTestSupport
import SQLite
import Testing

@Suite(.timeLimit(.minutes(5))) struct LateStoreTests {
  @Test("A store that opens after the start forgets the hooks and jobs that are not configured any more")
  func forgetting() throws {
    let hook = #"{"on": ["never"], "run": ["true"]}"#
    let job = #"{"call": "agent.ping", "every": "1d"}"#
    let folder = try AgentFolder([
      "hooks.d/there.json": hook, "hooks.d/gone.json": hook, "hooks.d/broken.json": hook,
      "jobs.d/there.json": job, "jobs.d/gone.json": job, "jobs.d/broken.json": job,
    ])
    var agent = try folder.startAgent()
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
    let store = "\(folder.state)/ringi.db"
    #expect(try names(store) == ["broken", "broken", "gone", "gone", "there", "there"])

    for kind in ["hooks.d", "jobs.d"] {
      try FileManager.default.removeItem(atPath: "\(folder.config)/\(kind)/gone.json")
      try folder.write("\(kind)/broken.json", "{")
    }
    try FileManager.default.moveItem(atPath: store, toPath: folder.path("away"))
    try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: false)
    agent = try folder.startAgent()
    try FileManager.default.removeItem(atPath: store)
    try FileManager.default.moveItem(atPath: folder.path("away"), toPath: store)
    // It is opened for the first thing that is to be recorded.
    try agent.connect(folder.socket).call("events.publish", ["type": "t"])
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
    #expect(try names(store) == ["broken", "broken", "there", "there"])
  }

  private func names(_ store: String) throws -> [String] {
    try Connection(path: store).rows("SELECT name FROM hook UNION ALL SELECT name FROM job ORDER BY name") {
      $0.text(0)
    }
  }
}
