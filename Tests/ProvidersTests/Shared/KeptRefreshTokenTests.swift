import EventLoop
import Foundation
import HTTP
import HTTPServer
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiTestSupport
import Sandbox
import Testing
import Timing

@Suite struct KeptRefreshTokenTests {
  /// A sandbox that exchanges refresh tokens, and one of them.
  @Loop private func rotating() async throws -> (SAPRig, String) {
    let rig = try SAPRig(.cf) {
      $0.switches.refreshTokens = .rotated
      $0.clock = nil
    }
    return (rig, try await rig.refreshToken(for: "P1000001", password: "approve-1"))
  }

  @Loop private func user(
    of rig: SAPRig, _ refreshToken: JSONValue, secrets: [String: String] = [:], store: Store? = nil
  ) throws -> SAPRig {
    try SAPRig(
      .cf,
      settings: [
        "url": .init(rig.sandbox.baseURL), "uaaUrl": .init(rig.sandbox.url), "refreshToken": refreshToken,
      ], secrets: secrets, store: store)
  }

  /// A store on the disk.
  @Loop private func store(_ folder: TemporaryFolder, _ clock: TestClock) async throws -> Store {
    let store = Store(
      directory: "\(folder.path)/state", clock: clock, log: Log(level: .error, clock: clock, redactor: Redactor()),
      problems: Problems())
    try await store.open()
    return store
  }

  /// What is kept of a token in the state of `sap`.
  @Loop private func kept(in store: Store) async throws -> String? {
    try await PluginState(of: "sap", in: store).get("oauth.refresh-token")?["token"]?.string
  }

  /// The refresh tokens that were sent, the oldest first.
  @Loop private func sent(to rig: SAPRig) -> [String] {
    rig.control.requests.compactMap {
      String(decoding: $0.request.body, as: UTF8.self).split(separator: "&refresh_token=").dropFirst().first
        .map { String($0) }
    }
  }

  /// BR-108.
  @Test func anExchangedTokenReplacesTheOneInTheFile() async throws {
    try await onLoop { () async throws in
      let (rig, token) = try await rotating()
      let path = FileManager.default.temporaryDirectory.appending(path: "ringi-\(UUID())").path
      try (token + "\n").write(toFile: path, atomically: true, encoding: .utf8)
      defer { try? FileManager.default.removeItem(atPath: path) }
      let id = JSONValue(try rig.makeTask())
      try await user(of: rig, ["file": .init(path)]).call("task.get", ["id": id])
      let kept = try String(contentsOfFile: path, encoding: .utf8)
      #expect(kept != token + "\n" && kept.hasSuffix("\n"))
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
      // A later start begins with what the first one kept.
      try await user(of: rig, ["file": .init(path)]).call("task.get", ["id": id])
    }
  }

  @Test func aLinkToTheFileStaysALink() async throws {
    try await onLoop { () async throws in
      let (rig, token) = try await rotating()
      let folder = try TemporaryFolder()
      try folder.write("token", token)
      try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/link", withDestinationPath: "token")
      let id = JSONValue(try rig.makeTask())
      try await user(of: rig, ["file": .init("\(folder.path)/link")]).call("task.get", ["id": id])
      #expect(folder.read("token") != token)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder.path)/link") == "token")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["link", "token"])
    }
  }

  /// BR-108.
  @Test func oneThatIsInNoFileIsKeptInTheStoreForTheNextLife() async throws {
    try await onLoop { () async throws in
      let (rig, token) = try await rotating()
      let id = JSONValue(try rig.makeTask())
      let folder = try TemporaryFolder()
      for (setting, secrets) in [(JSONValue(token), [:]), (["env": "TOKEN"], ["TOKEN": token])]
        as [(JSONValue, [String: String])]
      {
        let first = try await store(folder, TestClock())
        let before = try await kept(in: first)
        let one = try user(of: rig, setting, secrets: secrets, store: first)
        try await one.call("task.get", ["id": id])
        let newer = try #require(try await kept(in: first))
        #expect(newer != before && newer != token)
        #expect(one.hidden.contains(newer) && one.logged.isEmpty)
        await first.close()

        let second = try await store(folder, TestClock())
        let other = try user(of: rig, setting, secrets: secrets, store: second)
        try await other.call("task.get", ["id": id])
        #expect(sent(to: rig).last == newer)
        #expect(other.hidden.contains(newer))
        await second.close()
      }
      #expect(sent(to: rig).first == token)
    }
  }

  @Test func aNewlyConfiguredTokenWinsOverWhatGrewFromTheOldOne() async throws {
    try await onLoop { () async throws in
      let (rig, token) = try await rotating()
      let id = JSONValue(try rig.makeTask())
      let folder = try TemporaryFolder()
      let store = try await store(folder, TestClock())
      try await user(of: rig, .init(token), store: store).call("task.get", ["id": id])
      let grown = try #require(try await kept(in: store))
      let fresh = try #require(rig.control.makeRefreshToken(for: "P1000001"))
      try await user(of: rig, .init(fresh), store: store).call("task.get", ["id": id])
      #expect(sent(to: rig) == [token, fresh])
      #expect(try await kept(in: store) != grown)
      await store.close()
    }
  }

  /// BR-108.
  @Test func aStoreThatRefusesIsAnErrorThatNamesItAndNoTokenIsLost() async throws {
    try await onLoop { () async throws in
      let (rig, token) = try await rotating()
      let id = JSONValue(try rig.makeTask())
      let folder = try TemporaryFolder()
      let store = try await store(folder, TestClock())
      let user = try user(of: rig, .init(token), store: store)
      // Another file stands in the store's place.
      let path = "\(folder.path)/state/ringi.db"
      try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
      try folder.write("state/ringi.db", "")
      for _ in 0..<3 {
        let error = try await user.failure("task.get", ["id": id])
        #expect(error.kind == "unavailable" && error.message.contains("\(folder.path)/state"))
        #expect(!error.message.contains(token))
      }
      // The one that could not be kept is not exchanged in its turn, so the old one is good for another time.
      #expect(sent(to: rig) == [token])
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
      try await user.call("task.get", ["id": id])
      let tokens = sent(to: rig)
      #expect(tokens.count == 2 && user.hidden.contains(tokens[1]))
      #expect(try await kept(in: store) != tokens[1])
      await store.close()
    }
  }

  @Test func aFileThatCannotBeWrittenIsAnError() async throws {
    try await onLoop { () async throws in
      let (rig, token) = try await rotating()
      let folder = FileManager.default.temporaryDirectory.appending(path: "ringi-\(UUID())").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let path = folder + "/token"
      try token.write(toFile: path, atomically: true, encoding: .utf8)
      // A folder where the new file would be written stops everybody, root included.
      let blocker = "\(path).sap.\(ProcessInfo.processInfo.processIdentifier).new"
      try FileManager.default.createDirectory(atPath: blocker, withIntermediateDirectories: false)
      let id = JSONValue(try rig.makeTask())
      let user = try user(of: rig, ["file": .init(path)])
      for _ in 0..<3 {
        let error = try await user.failure("task.get", ["id": id])
        #expect(error.kind == "unavailable")
        #expect(error.message.contains(path) && !error.message.contains(token))
      }
      #expect(try String(contentsOfFile: path, encoding: .utf8) == token)
      #expect(sent(to: rig) == [token])
      // The new token was not lost with it.
      try FileManager.default.removeItem(atPath: blocker)
      try await user.call("task.get", ["id": id])
      #expect(try String(contentsOfFile: path, encoding: .utf8) != token)
    }
  }

  /// BR-109.
  @Test func whatSomebodyElsePutIntoTheFileWinsOverOneThatCouldNotBeKept() async throws {
    try await onLoop { () async throws in
      let (rig, token) = try await rotating()
      let folder = try TemporaryFolder()
      let path = "\(folder.path)/token"
      try folder.write("token", token)
      let blocker = "\(path).sap.\(ProcessInfo.processInfo.processIdentifier).new"
      try FileManager.default.createDirectory(atPath: blocker, withIntermediateDirectories: false)
      let id = JSONValue(try rig.makeTask())
      let user = try user(of: rig, ["file": .init(path)])
      #expect(try await user.failure("task.get", ["id": id]).kind == "unavailable")
      try FileManager.default.removeItem(atPath: blocker)
      let fresh = try #require(rig.control.makeRefreshToken(for: "P1000001"))
      try folder.write("token", fresh)
      try await user.call("task.get", ["id": id])
      #expect(sent(to: rig) == [token, fresh])
    }
  }
}
