package import HTTPServer
internal import JSON
internal import Timing

/// Todoist's API v1, imitated.
package typealias TodoistSandbox = ServiceSandbox<TodoistState>

/// All that a sandboxed Todoist knows.
package struct TodoistState: ReplayingService {
  package static let basePath = ["api", "v1"]

  package let configuration: TodoistConfiguration
  package var switches: TodoistSwitches
  package var clock: SandboxClock
  package var faults = FaultTable()
  package var log = RequestLog()
  package internal(set) var projects: [TodoistProject] = []
  package internal(set) var tasks: [TodoistTask] = []
  /// How often each task was closed over the API.
  package internal(set) var closings: [String: Int] = [:]
  /// Tokens with their scopes; nil may do everything.
  var tokens: [String: Set<String>?]
  var grants: [String: Grant] = [:]
  /// Whether somebody is logged in in the browser.
  package var isLoggedIn = true
  package var effects = Effects<ServerRequest>()
  var rateLimit = RateLimit(per: 15 * 60)
  /// What each cursor goes on with.
  var cursors: [String: Cursor] = [:]
  /// The commands that were carried out.
  var commands: Set<String> = []
  /// The answers by request id.
  var answers: [String: ServerResponse] = [:]

  /// A code that waits to be exchanged.
  struct Grant: Sendable {
    let scopes: Set<String>
    let redirect: String?
    let challenge: String?
  }

  struct Cursor: Sendable {
    let query: [ServerRequest.QueryItem]
    let path: [String]
    let offset: Int
  }

  package init(_ configuration: TodoistConfiguration) {
    self.configuration = configuration
    switches = configuration.switches
    clock = SandboxClock(standingAt: configuration.clock)
    tokens = [configuration.token: nil]
    makeProject("Inbox")
  }

  /// An id as the service makes them: 16 characters, not digits alone.
  static func newID() -> String {
    let alphabet = Array("0123456789ABCDEFGHJKMNPQRVWXYZabcdefghjkmnpqrvwxyz")
    return "6X" + String((0..<14).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] })
  }

  package func failure(_ status: Int) -> ServerResponse {
    switch status {
    case 429: TodoistError.limit(switches.limitStyle == .json ? .bodyOnly : switches.limitStyle, seconds: 66).response
    default: .page(status, "\(status)", title: "Error")
    }
  }
}
