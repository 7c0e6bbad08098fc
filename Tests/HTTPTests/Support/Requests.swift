import EventLoop
import HTTPServer
import RingiTestSupport

@testable import HTTP

extension LoopbackServer {
  func address(_ path: String = "/") throws -> HTTPURL { try HTTPURL(url + path) }
}

extension RawServer {
  func address(_ path: String = "/") throws -> HTTPURL { try HTTPURL("http://127.0.0.1:\(port)\(path)") }
}

/// A response as a raw server writes it.
func answer(_ status: String = "200 OK", _ headers: [String] = [], _ body: String = "") -> String {
  (["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + headers).joined(separator: "\r\n") + "\r\n\r\n" + body
}

@Loop func client(_ tls: TLSSettings = TLSSettings()) -> CurlClient { CurlClient(tls: tls, userAgent: "Ringi/test") }

/// Sends with a client of the tests' own.
@Loop func send(_ request: HTTPRequest, tls: TLSSettings = TLSSettings()) async throws -> HTTPResponse {
  try await client(tls).send(request)
}

/// Sends a request, and the one that a redirect asks for.
@Loop func sendOn(_ request: HTTPRequest) async throws -> HTTPResponse {
  let response = try await send(request)
  guard let next = try request.redirected(by: response) else { return response }
  return try await send(next)
}

/// The error that a request ends with, or nil when it is answered.
@Loop func failure(of request: HTTPRequest, tls: TLSSettings = TLSSettings()) async -> HTTPError? {
  do throws(HTTPError) {
    _ = try await client(tls).send(request)
    return nil
  } catch {
    return error
  }
}

/// Lets a task on the loop wait for what happens on a server's thread.
@Loop final class Signal {
  private let gate = Gate()

  nonisolated func raise() { Loop.run { self.gate.open() } }
  func wait() async throws { try await gate.wait() }
}
