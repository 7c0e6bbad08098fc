import JSON
import Sandbox

/// Sends requests to a sandbox of a list service, each byte of them chosen by the test.
struct ServiceClient<Service: SandboxService> {
  let sandbox: ServiceSandbox<Service>
  let headers: [(String, String)]

  /// A path that does not begin with a slash is below the API's beginning.
  func send(
    _ method: String, _ path: String, _ body: JSONValue? = nil, type: String? = "application/json",
    without omitted: String? = nil
  ) throws -> RawAnswer {
    let port = sandbox.url.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    let connection = try RawConnection(port: port)
    var head = "\(method) \(path.hasPrefix("/") ? path : "/api/v1/\(path)") HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    for (name, value) in headers where name != omitted { head += "\(name): \(value)\r\n" }
    let text = body?.description ?? ""
    if body != nil { head += "Content-Length: \(text.utf8.count)\r\n" }
    if let type, body != nil { head += "Content-Type: \(type)\r\n" }
    connection.send(head + "\r\n" + text)
    return try connection.answer()
  }
}
