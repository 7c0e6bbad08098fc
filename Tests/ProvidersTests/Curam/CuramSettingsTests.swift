import JSON
import RingiCore
import RingiKit
import Testing

@testable import Providers

@Suite struct CuramSettingsTests {
  private func settings(_ more: JSONValue = [:]) throws -> CuramSettings {
    let all: JSONValue = ["url": "https://host:9044/Rest", "user": "u", "password": "p"]
    return try CuramSettings(Curam.settings.fillingDefaults(all.merging(more)), directory: "/etc")
  }

  /// K11: the service's cookies are for secure connections alone.
  @Test func plainHTTPIsForThisMachineAlone() throws {
    #expect(throws: SettingsError.self) { try settings(["url": "http://host/Rest"]) }
    for host in ["127.0.0.1", "[::1]", "localhost"] { _ = try settings(["url": .init("http://\(host):1/Rest")]) }
  }

  @Test func whatIsWatchedTwiceOrIsNoPathIsNamed() throws {
    for watch: JSONValue in [[["path": "a"], ["path": "/a"]], [["path": "a/../b"]]] {
      #expect(throws: SettingsError.self) { try settings(["watch": watch]) }
    }
    #expect(try settings(["watch": [["path": "a"], ["path": "a", "query": ["q": "1"]]]]).watched.count == 2)
  }

  @Test func tasksHaveAPathAndStandAlone() throws {
    let tasks: JSONValue = ["tasks": ["path": "acme/tasks"]]
    #expect(try settings(tasks).tasks?.closing("7").text == "acme/tasks/7/close")
    #expect(throws: SettingsError.self) { try settings(["tasks": ["path": "acme/../tasks"]]) }
    #expect(throws: SettingsError.self) { try settings(tasks.merging(["watch": [["path": "a"]]])) }
    #expect(!Curam.settings.validate(["url": "https://h", "user": "u", "password": "p", "tasks": [:]]).isEmpty)
  }

  @Test func theOtherPlaceToLogOutComesSecond() throws {
    #expect(try settings().logouts == ["/logout", "/logout.jsp"])
    #expect(try settings(["logout": "/logout.jsp"]).logouts == ["/logout.jsp", "/logout"])
  }

  @Test func theSchemaTakesWhatIsDocumentedAndNothingElse() {
    let good: JSONValue = [
      "url": "https://h/Rest", "user": "u", "password": ["credential": "c"], "csrf": "on", "timeouts": ["total": "5s"],
    ]
    #expect(Curam.settings.validate(good).isEmpty)
    for bad: JSONValue in [
      ["csrf": true], ["watch": ["persons/1"]], ["logout": "/exit"], ["authCookies": []], ["referrer": "x"],
      ["loginFields": ["a": 1]],
    ] { #expect(!Curam.settings.validate(good.merging(bad)).isEmpty) }
  }
}
