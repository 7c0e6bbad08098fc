import EventLoop
import Foundation
import HTTP
import HTTPServer
import RingiTestSupport
import Testing

@Suite struct TLSTests {
  private func server() throws -> LoopbackServer {
    let tls = LoopbackServer.TLS(certificate: TestCertificate.certificate, key: TestCertificate.key)
    return try LoopbackServer(tls: tls) { _ in ServerResponse(status: 200, text: "secure") }
  }

  private func file(_ text: String) throws -> String {
    let path = FileManager.default.temporaryDirectory.appending(path: "ringi-\(UUID()).pem").path
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test func aCertificateThatNobodyVouchesForIsRefused() async throws {
    let server = try server()
    try await onLoop {
      let error = await failure(of: HTTPRequest(.get, try server.address()))
      guard case .tls(let what) = error?.kind else { Issue.record("\(String(describing: error))"); return }
      #expect(what.contains("certificate"))
      #expect(error?.requestWasSent == false)
    }
  }

  @Test func anAuthorityFromTheSettingsIsTrusted() async throws {
    let server = try server()
    let authority = try file(TestCertificate.certificate)
    defer { try? FileManager.default.removeItem(atPath: authority) }
    try await onLoop {
      let tls = TLSSettings(authorityFile: authority)
      #expect(try await send(HTTPRequest(.get, server.address()), tls: tls).text.string == "secure")
      // The kept connection of a client that trusts is not lent to one that does not.
      guard case .tls = await failure(of: HTTPRequest(.get, try server.address()))?.kind else {
        Issue.record("an untrusted certificate was accepted"); return
      }
    }
  }

  @Test func aCertificateForAnotherNameIsRefused() async throws {
    let server = try server()
    let authority = try file(TestCertificate.certificate)
    defer { try? FileManager.default.removeItem(atPath: authority) }
    try await onLoop {
      let url = try HTTPURL("https://localhost:\(server.port)/")
      guard case .tls = await failure(of: HTTPRequest(.get, url), tls: TLSSettings(authorityFile: authority))?.kind
      else { Issue.record("the name was not checked"); return }
    }
  }

  @Test func aFileThatIsMissingIsSaid() async throws {
    let server = try server()
    try await onLoop {
      for tls in [TLSSettings(authorityFile: "/no/such.pem"), TLSSettings(clientCertificate: "/no/such.pem")] {
        guard case .tls(let what) = await failure(of: HTTPRequest(.get, try server.address()), tls: tls)?.kind else {
          Issue.record("it went through")
          continue
        }
        #expect(what.contains("/no/such.pem"))
        #expect(what.hasPrefix(tls.authorityFile == nil ? "tls.clientCertificate" : "tls.authorityFile"))
      }
    }
  }
}
