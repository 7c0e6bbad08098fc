import JSON
import RingiTestSupport
import Sandbox

/// Sends requests to a sandbox, each byte of them chosen by the test.
struct SandboxClient {
  let sandbox: SAPWorkflowSandbox
  var headers: [(String, String)]

  /// Sends one request on a connection of its own.
  func send(_ method: String, _ target: String, headers extra: [(String, String)] = [], body: String = "") throws
    -> RawAnswer
  {
    let connection = try RawConnection(port: sandbox.port)
    connection.send(text(method, target, extra, body))
    return try connection.answer()
  }

  func text(_ method: String, _ target: String, _ extra: [(String, String)] = [], _ body: String = "") -> String {
    var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    for (name, value) in headers + extra { head += "\(name): \(value)\r\n" }
    if !body.isEmpty { head += "Content-Length: \(body.utf8.count)\r\n" }
    return head + "\r\n" + body
  }

  /// Below the base path.
  func get(_ path: String, headers: [(String, String)] = []) throws -> RawAnswer {
    try send("GET", base + path, headers: headers)
  }

  /// With JSON as the body.
  func write(_ method: String, _ path: String, _ body: JSONValue) throws -> RawAnswer {
    try send(method, base + path, headers: [("Content-Type", "application/json")], body: body.description)
  }

  func patchTask(_ id: String, _ body: JSONValue) throws -> RawAnswer {
    try write("PATCH", "/v1/task-instances/\(id)", body)
  }

  /// The ids in a list, in its order.
  func ids(_ path: String) throws -> [String] {
    let answer = try get(path)
    guard let array = try answer.json().array else { return ["\(answer.status)"] }
    return array.compactMap { $0["id"]?.string }
  }

  private var base: String { String(sandbox.baseURL.dropFirst(sandbox.url.count)) }
}

extension RawAnswer {
  func json() throws -> JSONValue { try JSONValue(parsing: body) }

  /// The code of an error in the service's envelope.
  var code: String? { (try? json())?["error"]?["code"]?.string }

  var hasLogID: Bool { (try? json())?["error"]?["logId"]?.string?.count == 36 }

  var details: [String] {
    (try? json())?["error"]?["details"]?.array?.compactMap { $0["message"]?.string } ?? []
  }

  /// The cookies that it sets, as a client sends them back.
  var cookies: String { all("Set-Cookie").map { String($0.prefix { $0 != ";" }) }.joined(separator: "; ") }
}
