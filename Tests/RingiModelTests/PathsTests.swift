import Testing

import RingiModel

struct PathsTests {
  private func paths(
    config: String? = nil, state: String? = nil, _ environment: [String: String], existing: Set<String> = []
  ) -> Paths {
    Paths(config: config, state: state, environment: environment, exists: { existing.contains($0) })
  }

  private let everything = [
    "RINGI_CONFIG": "/r/config", "RINGI_STATE": "/r/state", "RINGI_SOCKET": "/r/socket", "XDG_CONFIG_HOME": "/x/config",
    "XDG_STATE_HOME": "/x/state", "XDG_RUNTIME_DIR": "/x/run", "HOME": "/home/p",
  ]

  @Test func theCommandLineComesFirst() {
    let paths = paths(config: "c", state: "s", everything)
    #expect(paths.config == "c")
    #expect(paths.state == "s")
  }

  @Test func ringisOwnVariablesComeSecond() {
    let paths = paths(everything)
    #expect(paths.config == "/r/config")
    #expect(paths.state == "/r/state")
    #expect(paths.socket == "/r/socket")
  }

  @Test func thenThoseOfTheDesktop() {
    let paths = paths(everything.filter { !$0.key.hasPrefix("RINGI") })
    #expect(paths.config == "/x/config/ringi")
    #expect(paths.state == "/x/state/ringi")
    #expect(paths.socket == "/x/run/ringi/agent.sock")
  }

  @Test func thenTheHomeFolder() {
    let paths = paths(["HOME": "/home/p"], existing: ["/home/p/.config/ringi"])
    #expect(paths.config == "/home/p/.config/ringi")
    #expect(paths.state == "/home/p/.local/state/ringi")
    #expect(paths.socket == "/home/p/.local/state/ringi/agent.sock")
  }

  @Test func theSystemsConfigurationServesWhereNobodyHasOne() {
    #expect(paths(["HOME": "/home/p"]).config == "/etc/ringi")
  }

  @Test func theSocketFollowsTheStateOfTheCommandLine() {
    #expect(paths(state: "/s", ["HOME": "/home/p"]).socket == "/s/agent.sock")
  }

  @Test func emptyVariablesCountAsNone() {
    let paths = paths(everything.mapValues { _ in "" }.merging(["HOME": "/home/p"]) { $1 })
    #expect(paths.config == "/etc/ringi")
    #expect(paths.state == "/home/p/.local/state/ringi")
  }

  @Test func relativePathsOfTheDesktopsVariablesAreIgnored() {
    let paths = paths(["XDG_CONFIG_HOME": "config", "XDG_RUNTIME_DIR": ".", "HOME": "/home/p"])
    #expect(paths.config == "/etc/ringi")
    #expect(paths.socket == "/home/p/.local/state/ringi/agent.sock")
  }

  @Test func withoutAHomeVariableTheUserDatabaseKnows() {
    #expect(paths([:]).state.hasPrefix("/"))
    #expect(paths([:]).state.hasSuffix("/.local/state/ringi"))
  }
}
