package import HTTPServer
package import JSON
internal import Timing

/// A service that a `ServiceSandbox` imitates: all that it knows.
package protocol SandboxService: FaultyService, Sendable {
  associatedtype Configuration: Sendable
  associatedtype Switches: SandboxSwitches

  init(_ configuration: Configuration)
  /// What it began with.
  var configuration: Configuration { get }
  var switches: Switches { get set }
  var clock: SandboxClock { get set }
  var faults: FaultTable { get set }
  var log: RequestLog { get set }
  /// Where the API begins.
  static var basePath: [String] { get }

  /// Does all that has fallen due by now.
  mutating func settle()
  /// Does all that waits for a tick.
  mutating func tick()
  /// Answers a control call of the service's own; `path` is what follows `/_control/`.
  mutating func control(_ request: ServerRequest, _ path: [String]) throws(ControlError) -> JSONValue
}

extension SandboxService {
  /// Adds a fault that waits for its requests.
  package mutating func inject(_ fault: Fault) { faults.add(fault) }

  /// Answers a request, after what fell due and under the faults that were asked for.
  mutating func respond(to request: ServerRequest) -> ServerResponse {
    settle()
    let base = Self.basePath
    let below = request.segments.starts(with: base) ? [Array(request.segments.dropFirst(base.count))] : []
    let fault = faults.take(method: request.method, paths: [request.segments] + below)
    var response = fault.map { answer(request, under: $0) } ?? process(request)
    if response.headers["Date"] == nil { response.headers.add("Date", clock.now.httpDate) }
    let isAnswered = response.delivery.ending == .answer
    log.add(.init(time: clock.now, request: request, status: isAnswered ? response.status : 0))
    return response
  }

  /// Answers a request below `/_control/`.
  mutating func answerControl(_ request: ServerRequest) -> ServerResponse {
    do throws(ControlError) {
      settle()
      return .json(try commonControl(request, Array(request.segments.dropFirst())))
    } catch {
      let status = if case .notFound = error { 404 } else { 400 }
      return .json(["error": .init(error.description)], status: status)
    }
  }

  private mutating func commonControl(
    _ request: ServerRequest, _ path: [String]
  ) throws(ControlError) -> JSONValue {
    switch (request.method, path) {
    case ("GET", ["switches"]): break
    case ("PATCH", ["switches"]): switches = try switches.changed(by: try ControlBody.json(of: request))
    case ("GET", ["faults"]): return JSONValue(array: faults.faults.map(\.json))
    case ("POST", ["faults"]):
      faults.add(try Fault(try ControlBody.json(of: request)))
      return JSONValue(array: faults.faults.map(\.json))
    case ("DELETE", ["faults"]): faults.clear()
    case ("GET", ["requests"]): return JSONValue(array: log.entries.map(\.json))
    case ("DELETE", ["requests"]): log.clear()
    case ("GET", ["clock"]): return ["now": .init(clock.now.rfc3339)]
    case ("POST", ["clock", "advance"]):
      let body = try ControlBody(of: request, taking: ["by"])
      clock.advance(by: try body.need("by", try body.duration("by")))
      settle()
      return ["now": .init(clock.now.rfc3339)]
    case ("POST", ["tick"]): tick()
    case ("POST", ["reset"]): self = Self(configuration)
    default: return try control(request, path)
    }
    return path == ["switches"] ? switches.json : .emptyObject
  }

  static func unknownControl(_ request: ServerRequest) -> ControlError {
    .notFound("There is no control call \(request.method) \(request.path); docs/sandbox.md lists them.")
  }
}
