import Foundation
import Glibc
import JSON
import RingiTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct SecretLogTests {
  private static let secret = "s3cr3t/Pä+ß="

  @Test(arguments: ["text", "json"]) func theFinestLogShowsNoSecret(_ format: String) throws {
    let sandbox = try Program("ringi-sandbox", ["sap-workflow"])
    #expect(sandbox.waitFor { $0.outputText.hasSuffix("\n") })
    let url = sandbox.outputText.trimmingCharacters(in: .whitespacesAndNewlines)
    func plugin(_ url: String, _ password: String) -> String {
      """
      {"provider": "sap-workflow", "settings": {"environment": "neo", "url": "\(url)/workflow-service/rest",
        "user": "P1000009", "password": \(password)}}
      """
    }
    let folder = try AgentFolder([
      "ringi.json": #"{"log": {"level": "debug", "format": "\#(format)"}}"#,
      // A refused login, a refused connection, and a value in the file itself.
      "plugins.d/refused.json": plugin(url, #"{"env": "SECRET"}"#),
      "plugins.d/down.json": plugin("http://127.0.0.1:9", #"{"command": ["printenv", "SECRET"]}"#),
      "plugins.d/inline.json": plugin(url, "\"\(Self.secret)\""),
      // A hook that tells all it knows.
      "hooks.d/gossip.json": #"{"on": ["*"], "retries": 0, "shell": "printenv; cat; exit 1"}"#,
    ])
    let agent = try Program(
      "ringid", folder.arguments + ["--socket", folder.socket], environment: ["SECRET": Self.secret])
    let client = try folder.client(of: agent)
    _ = try client.refusal("tasks.refresh")
    let said = try ["agent.status", "plugins.list", "jobs.list", "hooks.deliveries", "events.list"].map {
      try client.call($0, $0 == "hooks.deliveries" ? ["hook": "gossip"] : [:]).description
    }
    agent.send(SIGTERM)
    #expect(agent.wait() == 0)
    sandbox.send(SIGTERM)
    #expect(agent.errorText.contains("a poll failed"))
    let base64 = Data(Self.secret.utf8).base64EncodedString()
    let basic = Data("P1000009:\(Self.secret)".utf8).base64EncodedString()
    let percent = try #require(Self.secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    for form in [Self.secret, base64, basic, percent, percent.lowercased()] {
      for text in said + [agent.errorText, agent.outputText] { #expect(!text.contains(form), "\(form) in \(text)") }
    }
  }
}
