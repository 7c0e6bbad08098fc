import EventLoop
import JSON
import RingiKit
import RingiTestSupport
import Testing

@testable import Providers

@Suite struct SAPSettingsTests {
  private func settings(_ more: JSONValue = [:]) throws -> SAPSettings {
    let all: JSONValue = [
      "environment": "cf", "url": "https://h/workflow-service/rest/", "uaaUrl": "https://uaa", "clientId": "id!b1|x",
      "clientSecret": ["env": "S"],
    ]
    return try SAPSettings(all.merging(more), directory: "/etc/ringi/plugins.d")
  }

  /// P33.
  @Test(arguments: ["https://uaa", "https://uaa/", "https://uaa/oauth/token"])
  func theTokenAddressIsBuiltFromTheServiceKey(_ address: String) throws {
    guard case .oauth(let url, _, _, nil) = try settings(["uaaUrl": .init(address)]).login else {
      throw Unexpected("no OAuth login")
    }
    #expect(url.text == "https://uaa/oauth/token")
  }

  @Test(
    arguments: [
      ["environment": "neo"], ["environment": "neo", "user": "P1"], ["uaaUrl": nil], ["clientSecret": nil],
      ["url": "ftp://h"], ["uaaUrl": "no address"],
    ] as [JSONValue])
  func whatIsMissingOrUnusableIsNamed(_ change: JSONValue) throws {
    #expect(throws: SettingsError.self) {
      var all: JSONValue = [
        "environment": "cf", "url": "https://h", "uaaUrl": "https://uaa", "clientId": "i", "clientSecret": "s",
      ]
      for member in change.object.map(Array.init) ?? [] {
        all = all.setting(member.key, to: member.value.isNull ? nil : member.value)
      }
      _ = try SAPSettings(all, directory: "/")
    }
  }

  /// The service would split it, and list other tasks.
  @Test func aFilterWithACommaIsRefused() throws {
    let error = #expect(throws: SettingsError.self) { try settings(["tasks": ["definitionId": "a,b@x"]]) }
    #expect(error?.pointer.description == "/tasks" && error?.message.contains("without commas") == true)
    #expect(try settings(["tasks": ["definitionId": ["a", "b"]]]).filters.count == 2)
  }

  @Test func theSchemaTakesWhatIsDocumentedAndNothingElse() throws {
    let schema = SAPWorkflow.settings
    let good: JSONValue = [
      "environment": "neo", "url": "http://h", "user": "P1", "password": ["file": "/x"], "comment": nil,
      "tasks": ["workflowDefinitionId": ["a", "b"]], "approve": ["decision": nil, "context": ["ok": true]],
      "timeouts": ["total": "5s"], "tls": ["authorityFile": "ca.pem"],
    ]
    #expect(schema.validate(good).isEmpty)
    for bad: JSONValue in [
      ["environment": "abap"], ["tasks": ["status": "READY"]], ["timeouts": ["total": "soon"]], ["pasword": "x"],
      ["approve": ["context": "yes"]],
    ] { #expect(!schema.validate(good.merging(bad)).isEmpty) }
  }

  @Test func aVerdictIsWhatTheSettingsSay() throws {
    let plain = SAPCompletion(settings: try settings())
    #expect(plain.body(Decision(.approve)) == ["status": "COMPLETED", "context": ["approved": true]])
    #expect(plain.body(Decision(.complete)) == ["status": "COMPLETED"])
    #expect(
      plain.body(Decision(.reject, comment: "too \"much\" 円", context: ["level": 2]))
        == ["status": "COMPLETED", "context": ["approved": false, "comment": "too \"much\" 円", "level": 2]])
    let own = SAPCompletion(
      settings: try settings(["approve": ["decision": "go", "context": [:]], "comment": nil, "environment": "sbpa"]))
    #expect(own.body(Decision(.approve, comment: "x")) == ["status": "COMPLETED", "decision": "go"])
    #expect(own.body(Decision(.approve, decision: "other"))["decision"] == "other")
    #expect(own.body(Decision(.reject))["decision"] == "reject")
  }

  @Test func theOutcomeIsReadFromTheContext() throws {
    let completion = SAPCompletion(settings: try settings())
    #expect(completion.outcome(in: ["approved": true, "x": 1]) == .approved)
    #expect(completion.outcome(in: ["approved": false]) == .rejected)
    #expect(completion.outcome(in: ["x": 1]) == nil)
  }

  @Test func pathsStartFromTheFolderOfTheFile() throws {
    let tls = try settings(["tls": ["authorityFile": "ca.pem", "clientKey": "/abs/key.pem"]]).connection.tls
    #expect(tls.authorityFile == "/etc/ringi/plugins.d/ca.pem")
    #expect(tls.clientKey == "/abs/key.pem")
  }
}
