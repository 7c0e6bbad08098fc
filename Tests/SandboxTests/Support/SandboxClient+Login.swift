import JSON
import RingiTestSupport
import Sandbox
import Testing
import Timing

/// A running sandbox whose clock stands still, whose work in the background is done at once, and which writes null.
func startedSandbox(
  _ environment: SAPEnvironment, _ change: (inout SAPWorkflowConfiguration) -> Void = { _ in }
) throws -> SAPWorkflowSandbox {
  var configuration = SAPWorkflowConfiguration(environment)
  configuration.clock = .init(milliseconds: 1_600_000_000_000)
  configuration.switches.latency = .after(.zero)
  configuration.switches.nullStyle = .null
  change(&configuration)
  let sandbox = SAPWorkflowSandbox(configuration)
  try sandbox.start()
  return sandbox
}

extension SandboxClient {
  static let admin = "P1000009:administer-9"
  static let recipient = "P1000001:approve-1"

  /// Basic authentication without a session.
  init(_ sandbox: SAPWorkflowSandbox, basic credentials: String) {
    self.init(sandbox: sandbox, headers: [("Authorization", "Basic " + base64(credentials))])
  }

  /// A session of the Neo environment with its XSRF token.
  static func neo(_ sandbox: SAPWorkflowSandbox, _ credentials: String = admin) throws -> SandboxClient {
    var client = SandboxClient(sandbox, basic: credentials)
    let answer = try client.get("/v1/xsrf-token", headers: [("X-CSRF-Token", "Fetch")])
    let token = try #require(answer["X-CSRF-Token"])
    client.headers += [("Cookie", answer.cookies), ("X-CSRF-Token", token)]
    return client
  }

  /// A token of client credentials.
  static func oauth(_ sandbox: SAPWorkflowSandbox) throws -> SandboxClient {
    try oauth(sandbox, form: "grant_type=client_credentials")
  }

  /// A token of any grant, for the standard client.
  static func oauth(_ sandbox: SAPWorkflowSandbox, form: String) throws -> SandboxClient {
    let answer = try tokenAnswer(sandbox, form: form)
    let token = try #require(try answer.json()["access_token"]?.string)
    return SandboxClient(sandbox: sandbox, headers: [("Authorization", "Bearer " + token)])
  }

  static func tokenAnswer(
    _ sandbox: SAPWorkflowSandbox, form: String,
    credentials: String? = SAPClient.standardID + ":" + SAPClient.standardSecret
  ) throws -> RawAnswer {
    let client = SandboxClient(sandbox: sandbox, headers: [])
    var headers = [("Content-Type", "application/x-www-form-urlencoded")]
    if let credentials { headers.append(("Authorization", "Basic " + base64(credentials))) }
    return try client.send("POST", "/oauth/token", headers: headers, body: form)
  }

  /// Somebody who may do everything, in any environment.
  static func privileged(_ sandbox: SAPWorkflowSandbox, _ environment: SAPEnvironment) throws -> SandboxClient {
    environment == .neo ? try neo(sandbox) : try oauth(sandbox)
  }
}

func base64(_ text: String) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  let bits = text.utf8.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
  var result = ""
  for start in stride(from: 0, to: bits.count, by: 6) {
    let group = bits[start..<min(start + 6, bits.count)] + [0, 0, 0, 0, 0]
    result.append(alphabet[group.prefix(6).reduce(0) { $0 << 1 | Int($1) }])
  }
  return result + String(repeating: "=", count: (4 - result.count % 4) % 4)
}
