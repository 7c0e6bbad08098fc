import EventLoop
import Foundation
import HTTP
import JSON
import JSONRPC
import RingiTestSupport
import Sandbox
import Testing
import Timing

@Suite struct SAPRefreshTokenStoreTests {
  /// A sandbox that exchanges refresh tokens, and one of them.
  @Loop private func rotating() async throws -> (SAPRig, String) {
    let rig = try SAPRig(.cf) {
      $0.switches.refreshTokens = .rotated
      $0.clock = nil
    }
    return (rig, try await rig.refreshToken(for: "P1000001", password: "approve-1"))
  }

  @Loop private func user(of rig: SAPRig, _ refreshToken: JSONValue) throws -> SAPRig {
    try SAPRig(
      .cf,
      settings: [
        "url": .init(rig.sandbox.baseURL), "uaaUrl": .init(rig.sandbox.url), "refreshToken": refreshToken,
      ])
  }

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

  @Test func aTokenThatCannotBeKeptIsUsedAndSaid() async throws {
    try await onLoop { () async throws in
      let (rig, token) = try await rotating()
      let id = JSONValue(try rig.makeTask())
      let user = try user(of: rig, .init(token))
      try await user.call("task.get", ["id": id])
      #expect(user.logged.contains { $0.hasPrefix("warning:") && !$0.contains(token) })
      rig.control.revokeTokens()
      try await user.call("task.get", ["id": id])
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
      let blocker = "\(path).\(ProcessInfo.processInfo.processIdentifier).new"
      try FileManager.default.createDirectory(atPath: blocker, withIntermediateDirectories: false)
      let id = JSONValue(try rig.makeTask())
      let user = try user(of: rig, ["file": .init(path)])
      let error = try await user.failure("task.get", ["id": id])
      #expect(error.kind == "login-required")
      #expect(error.message.contains(path) && !error.message.contains(token))
      // The new token was not lost with it.
      try FileManager.default.removeItem(atPath: blocker)
      try await user.call("task.get", ["id": id])
      #expect(try String(contentsOfFile: path, encoding: .utf8) != token)
    }
  }
}
