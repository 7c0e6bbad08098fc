import Testing

@testable import RingiClient

@Suite struct SocketPathTests {
  private let all = [
    "RINGI_SOCKET": "/s", "XDG_RUNTIME_DIR": "/run/u", "RINGI_STATE": "/state", "XDG_STATE_HOME": "/xdg", "HOME": "/h",
  ]

  @Test(arguments: [
    ([], "/s"), (["RINGI_SOCKET"], "/run/u/ringi/agent.sock"),
    (["RINGI_SOCKET", "XDG_RUNTIME_DIR"], "/state/agent.sock"),
    (["RINGI_SOCKET", "XDG_RUNTIME_DIR", "RINGI_STATE"], "/xdg/ringi/agent.sock"),
    (["RINGI_SOCKET", "XDG_RUNTIME_DIR", "RINGI_STATE", "XDG_STATE_HOME"], "/h/.local/state/ringi/agent.sock"),
  ])
  func theFirstThatIsSetTells(without names: [String], path: String) throws {
    #expect(try SocketPath.resolve(nil, environment: { names.contains($0) ? nil : all[$0] }) == path)
    #expect(try SocketPath.resolve(nil, environment: { names.contains($0) ? "" : all[$0] }) == path)
  }

  @Test func theOptionWins() throws {
    #expect(try SocketPath.resolve("/o", environment: { all[$0] }) == "/o")
  }

  @Test func withoutAnythingItIsAUsageError() {
    #expect(throws: Failure.self) { try SocketPath.resolve(nil, environment: { _ in nil }) }
  }

  @Test(arguments: [(107, true), (108, false), (200, false)])
  func thePathIsAsLongAsTheKernelTakes(length: Int, fits: Bool) {
    let path = "/" + String(repeating: "x", count: length - 1)
    let resolved = Result { () throws(Failure) in try SocketPath.resolve(path, environment: { _ in nil }) }
    switch resolved {
    case .success: #expect(fits)
    case .failure(let failure):
      #expect(!fits)
      #expect(failure.code == .agentUnreachable)
      #expect(failure.message.contains("\(length) bytes") && failure.message.contains("107"))
    }
  }

  @Test func bytesCountNotCharacters() {
    #expect(throws: Failure.self) {
      try SocketPath.resolve(String(repeating: "稟", count: 40), environment: { _ in nil })
    }
  }
}
