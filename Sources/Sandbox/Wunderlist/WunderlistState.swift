package import HTTPServer
internal import JSON
internal import Timing

/// Wunderlist's API v1, imitated.
package typealias WunderlistSandbox = ServiceSandbox<WunderlistState>

/// All that a sandboxed Wunderlist knows.
package struct WunderlistState: SandboxService {
  package static let basePath = ["api", "v1"]

  enum Effect: Sendable {
    /// A change becomes visible in the revisions of the list and of the root.
    case bubble(list: Int64?)
    case replay(ServerRequest)
  }

  package let configuration: WunderlistConfiguration
  package var switches: WunderlistSwitches
  package var clock: SandboxClock
  package var faults = FaultTable()
  package var log = RequestLog()
  package internal(set) var lists: [WunderlistList] = []
  package internal(set) var tasks: [WunderlistTask] = []
  package internal(set) var rootRevision: Int64 = 100
  /// How often each task was completed over the API.
  package internal(set) var completions: [Int64: Int] = [:]
  var effects = Effects<Effect>()
  var tokens: Set<String>
  var codes: Set<String> = []
  /// Whether somebody is logged in in the browser.
  package var isLoggedIn = true
  private var lastID: Int64 = 409_233_669
  private var random: UInt64

  package init(_ configuration: WunderlistConfiguration) {
    self.configuration = configuration
    switches = configuration.switches
    clock = SandboxClock(standingAt: configuration.clock)
    tokens = [configuration.token]
    random = configuration.seed
  }

  /// From 1 to 3: a revision does not rise by one.
  mutating func step() -> Int64 {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int64(random >> 33) % 3 + 1
  }

  mutating func newID() -> Int64 {
    lastID += 1
    return lastID
  }

  // MARK: - Time

  package mutating func settle() {
    while let (_, effect) = effects.takeDue(at: clock.now) { apply(effect) }
  }

  package mutating func tick() {
    for effect in effects.takeTicked() { apply(effect) }
    settle()
  }

  package mutating func replay(_ request: ServerRequest, after latency: Latency) {
    effects.add(.replay(request), after: latency, now: clock.now)
  }

  private mutating func apply(_ effect: Effect) {
    switch effect {
    case .bubble(let id):
      if let index = lists.firstIndex(where: { $0.id == id }) { lists[index].revision += step() }
      rootRevision += step()
    case .replay(let request): _ = process(request)
    }
  }

  /// Lets a change rise to the list, which is nil when the list itself changed, and to the root.
  mutating func bubble(from list: Int64?) {
    effects.add(.bubble(list: list), after: switches.bubbleDelay, now: clock.now)
    settle()
  }

  // MARK: - Answers

  package func failure(_ status: Int) -> ServerResponse {
    switch status {
    case 500: WunderlistError.server(nil).response
    default: .page(status, "\(status)", title: "nginx")
    }
  }
}
