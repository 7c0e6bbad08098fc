import Foundation
import Glibc
import HTTPServer
import JSON
import RingiTestSupport
import Sandbox
import Testing

/// ServiceNow's pages in a real browser, by way of a real agent.
@Suite(
  .timeLimit(.minutes(5)), .serialized,
  .enabled(if: Chromium.isInstalled, "chromium is not installed; install the Debian package of that name"))
struct WebPageTests {
  /// A sandbox, an agent in front of it, and an approval that waits.
  private final class World {
    let sandbox = ServiceNowSandbox(ServiceNowConfiguration())
    let folder: AgentFolder
    let agent: Program
    let client: TestClient
    let approval: String

    init() throws {
      try sandbox.start(port: 0, tls: nil)
      approval = try #require(try sandbox.with { state throws(ControlError) in try state.makeApprovals() }.first)
      let plugin: JSONValue = [
        "provider": "servicenow", "poll": ["every": "1d"],
        "settings": [
          "url": .init(sandbox.url), "login": "password", "user": "hanako", "password": "approve-1",
          "clientId": .init(ServiceNowClient.standardID), "clientSecret": .init(ServiceNowClient.standardSecret),
        ],
      ]
      folder = try AgentFolder(["plugins.d/now.json": plugin.description])
      agent = try folder.startAgent()
      client = try folder.client()
    }

    deinit { sandbox.stop() }

    func open(_ url: String) throws -> String {
      let theme: JSONValue = [
        "backgroundPrimary": "#102030", "textPrimary": "#ffffff", "screenHeaderBackground": "#cadfc0",
        "primary": "#8486ff", "textActionable": "#07080b",
      ]
      let result = try client.call("now.web.open", ["url": .init(url), "theme": theme])
      return try #require(result["url"]?.string)
    }

    func end() {
      agent.send(SIGTERM)
      #expect(agent.wait() == 0)
    }
  }

  @Test func aPageRunsItsScriptsAndWearsTheTheme() throws {
    let world = try World()
    let page = try Chromium(try world.open("/sysapproval_approver.do?sys_id=\(world.approval)"))
    #expect(page.dom.contains("<span id=\"state\">requested</span>"))
    #expect(page.dom.contains("<span id=\"user\">Hanako Sato</span>"))
    #expect(!page.dom.contains(world.sandbox.url))
    // In the header, and far below what is written.
    #expect(try page.colors(at: [(700, 20), (700, 500), (20, 590)]) == ["#cadfc0", "#102030", "#102030"])
    // The button is 160 by 48 pixels.
    #expect(try page.count(of: "#8486ff") > 4000)
    let bearers = world.sandbox.with { state in
      state.log.entries.filter { $0.request.headers["Authorization"]?.hasPrefix("Bearer") == true }.map(\.request.path)
    }.filter { $0.hasSuffix(".do") }
    #expect(bearers == ["/sysapproval_approver.do"])
    world.end()
  }

  @Test func aPortalWithABaseOfItsOwnFindsItsFiles() throws {
    let world = try World()
    let page = try Chromium(try world.open("/sp"))
    #expect(page.dom.contains("<p id=\"count\">1 waiting</p>"))
    #expect(try page.colors(at: [(700, 500)]) == ["#102030"])
    let paths = world.sandbox.with { $0.log.entries.map(\.request.path) }
    for path in ["/sp/portal.css", "/sp/portal.js", "/images/stamp.png"] { #expect(paths.contains(path)) }
    world.end()
  }

  @Test func aPageComesBackWhenTheSessionHasEnded() throws {
    let world = try World()
    let address = try world.open("/nav_to.do?uri=%2Fsp")
    #expect(try Chromium(address).dom.contains("1 waiting"))
    world.sandbox.with { $0.expireSessions() }
    #expect(try Chromium(address).dom.contains("1 waiting"))
    let events = try world.client.call("events.list", ["types": ["session-renewed"]])["events"]?.array
    #expect(events?.count == 1)
    #expect(try world.client.call("now.web.close")["closed"]?.array?.count == 1)
    world.end()
  }
}
