import JSON
import RingiTestSupport
import Sandbox

/// Sends requests to a sandbox of a list service, each byte of them chosen by the test.
struct ServiceClient<Service: SandboxService> {
  let sandbox: ServiceSandbox<Service>
  let headers: [(String, String)]

  /// A path that does not begin with a slash is below the API's beginning.
  func send(
    _ method: String, _ path: String, _ body: JSONValue? = nil, type: String? = "application/json",
    without omitted: String? = nil, headers more: [(String, String)] = []
  ) throws -> RawAnswer {
    let connection = try connection()
    var head = "\(method) \(path.hasPrefix("/") ? path : "/api/v1/\(path)") HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    for (name, value) in headers + more where name != omitted { head += "\(name): \(value)\r\n" }
    let text = body?.description ?? ""
    if body != nil { head += "Content-Length: \(text.utf8.count)\r\n" }
    if let type, body != nil { head += "Content-Type: \(type)\r\n" }
    connection.send(head + "\r\n" + text)
    return try connection.answer()
  }

  /// Sends a form, percent-encoded already, without the headers of the login.
  func post(form: String, to path: String) throws -> RawAnswer {
    let connection = try connection()
    connection.send(
      "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: \(form.utf8.count)\r\n\r\n\(form)"
    )
    return try connection.answer()
  }

  private func connection() throws -> RawConnection {
    try RawConnection(port: sandbox.url.split(separator: ":").last.flatMap { UInt16($0) } ?? 0)
  }
}
