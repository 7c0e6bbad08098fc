import EventLoop
import JSON
import RingiKit
import RingiTestSupport
import Testing

@testable import Providers

@Suite struct ServiceNowSettingsTests {
  private let client: JSONValue = ["clientId": "c", "clientSecret": "s"]

  private func settings(_ login: String, _ more: JSONValue) throws -> ServiceNowSettings {
    let json: JSONValue = ["url": "https://acme.example/", "login": .init(login)]
    let all = json.merging(more)
    #expect(ServiceNow.settings.validate(all).isEmpty)
    return try ServiceNowSettings(all, directory: "/etc/ringi")
  }

  @Test func everyLoginTakesWhatItNeeds() throws {
    #expect(throws: Never.self) { try settings("basic", ["user": "u", "password": "p"]) }
    #expect(throws: Never.self) { try settings("password", client.merging(["user": "u", "password": "p"])) }
    #expect(throws: Never.self) { try settings("client-credentials", client) }
    #expect(throws: Never.self) { try settings("refresh-token", client) }
    // A public client has no secret.
    let withoutSecret: JSONValue = ["clientId": "c", "redirectUri": "http://127.0.0.1:17781/callback"]
    #expect(throws: Never.self) { try settings("authorization-code", withoutSecret) }
  }

  @Test(
    arguments: [
      ("basic", "user", ["password": "p"]), ("basic", "password", ["user": "u"]),
      ("password", "clientSecret", ["user": "u", "password": "p", "clientId": "c"]),
      ("client-credentials", "clientId", ["clientSecret": "s"]),
      ("authorization-code", "clientId", ["redirectUri": "http://127.0.0.1:17781/callback"]),
      ("authorization-code", "redirectUri", ["clientId": "c"]),
    ] as [(String, String, JSONValue)])
  func whatIsMissingIsNamedWithTheLogin(_ login: String, _ name: String, _ json: JSONValue) throws {
    let error = #expect(throws: SettingsError.self) { try settings(login, json) }
    #expect(error?.message == "\(name) is missing; login \(login) needs it")
  }

  @Test(arguments: [
    "https://127.0.0.1:17781/callback", "http://acme.example:17781/callback", "http://127.0.0.1/callback",
    "http://127.0.0.1:80/callback", "callback",
  ])
  func aCallbackThatDoesNotLeadToThisMachineIsRefused(_ redirect: String) throws {
    let error = #expect(throws: SettingsError.self) {
      try settings("authorization-code", client.merging(["redirectUri": .init(redirect)]))
    }
    #expect(error?.pointer.description == "/redirectUri")
  }

  @Test func aDelegatorThatWouldEndAClauseIsRefused() throws {
    let more: JSONValue = ["user": "u", "password": "p", "delegators": ["good", "a^ORstate=approved"]]
    let error = #expect(throws: SettingsError.self) { try settings("basic", more) }
    #expect(error?.pointer.description == "/delegators/1")
  }

  @Test func anAddressThatIsNoneIsRefused() throws {
    let json: JSONValue = ["url": "acme", "login": "basic", "user": "u", "password": "p"]
    let error = #expect(throws: SettingsError.self) {
      try ServiceNowSettings(json.merging(["url": "ftp://acme.example"]), directory: "/")
    }
    #expect(error?.pointer.description == "/url")
  }
}
