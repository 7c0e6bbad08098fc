import JSON
import RingiTestSupport
import Sandbox
import Testing
import Timing

/// A running sandbox of a ServiceNow instance whose clock stands still.
func startedServiceNow(_ change: (inout ServiceNowConfiguration) -> Void = { _ in }) throws -> ServiceNowSandbox {
  var configuration = ServiceNowConfiguration()
  configuration.clock = .init(milliseconds: 1_795_996_800_000)
  change(&configuration)
  let sandbox = ServiceNowSandbox(configuration)
  try sandbox.start(port: 0, tls: nil)
  return sandbox
}

/// Sends requests to a sandboxed instance, each byte of them chosen by the test.
struct ServiceNowRequests {
  let sandbox: ServiceNowSandbox
  var headers: [(String, String)]

  init(_ sandbox: ServiceNowSandbox, basic credentials: String? = "hanako:approve-1") {
    self.sandbox = sandbox
    headers = [("Accept", "application/json")]
    if let credentials { headers.append(("Authorization", "Basic " + base64(credentials))) }
  }

  init(_ sandbox: ServiceNowSandbox, bearer token: String) {
    self.init(sandbox, basic: nil)
    headers.append(("Authorization", "Bearer " + token))
  }

  func send(
    _ method: String, _ target: String, headers extra: [(String, String)] = [], body: String = ""
  ) throws -> RawAnswer {
    let port = try #require(sandbox.url.split(separator: ":").last.flatMap { UInt16($0) })
    let connection = try RawConnection(port: port)
    var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    for (name, value) in headers + extra { head += "\(name): \(value)\r\n" }
    if !body.isEmpty { head += "Content-Length: \(body.utf8.count)\r\n" }
    connection.send(head + "\r\n" + body)
    return try connection.answer()
  }

  /// Below `/api/now/table/`.
  func get(_ path: String) throws -> RawAnswer { try send("GET", "/api/now/table/" + path) }

  func write(_ method: String, _ path: String, _ body: JSONValue) throws -> RawAnswer {
    try send(
      method, "/api/now/table/" + path, headers: [("Content-Type", "application/json")], body: body.description)
  }

  func token(_ form: String, query: String = "", type: String = "application/x-www-form-urlencoded") throws -> RawAnswer
  {
    try send("POST", "/oauth_token.do" + query, headers: [("Content-Type", type)], body: form)
  }

  static let client =
    "client_id=\(ServiceNowClient.standardID)&client_secret=S3cret%2Bof%26the%3Dsandbox"
  static let password = "grant_type=password&username=hanako&password=approve-1&" + client
}

extension RawAnswer {
  var result: JSONValue? { (try? json())?["result"] }
  var message: String? { (try? json())?["error"]?["message"]?.string }
  var detail: String? { (try? json())?["error"]?["detail"]?.string }
}
