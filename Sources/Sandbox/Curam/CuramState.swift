package import HTTPServer
package import JSON
internal import Timing

/// Cúram's REST application, imitated.
package typealias CuramSandbox = ServiceSandbox<CuramState>

/// All that a sandboxed Cúram knows.
package struct CuramState: ReplayingService {
  package static let basePath = ["Rest"]

  package let configuration: CuramConfiguration
  package var switches: CuramSwitches
  package var clock: SandboxClock
  package var faults = FaultTable()
  package var log = RequestLog()
  package internal(set) var users: [CuramUser]
  /// By path below `/v1`.
  package internal(set) var resources: [String: JSONValue]
  /// In the order in which the list shows them.
  package internal(set) var tasks: [CuramTask]
  /// How often each task was closed over the API.
  package internal(set) var closings: [String: Int] = [:]
  /// How often somebody logged in with success.
  package internal(set) var logins = 0
  /// How often something was made or changed over the API.
  package internal(set) var writes = 0
  /// Auth cookies, by value.
  var authorizations: [String: CuramAuthorization] = [:]
  /// Sessions, by the value of `JSESSIONID`.
  var sessions: [String: CuramSession] = [:]
  /// The node that an affinity cookie's value leads to.
  var routes: [String: Int] = [:]
  var nextNode = 0
  var lastID = 500
  package var effects = Effects<ServerRequest>()

  package init(_ configuration: CuramConfiguration) {
    self.configuration = configuration
    switches = configuration.switches
    clock = SandboxClock(standingAt: configuration.clock)
    users = configuration.users
    resources = configuration.resources
    tasks = configuration.tasks
  }

  /// The envelope for what the service says itself, a page for what a proxy says.
  package func failure(_ status: Int) -> ServerResponse {
    switch status {
    case 400: envelope(400, .badRequest, nil)
    case 403: envelope(403, .rights, nil)
    case 404: envelope(404, .notFound, nil)
    case 500: .page(500, "Error 500", title: "Internal Server Error")
    default: .page(status, "\(status)", title: "Proxy")
    }
  }
}
