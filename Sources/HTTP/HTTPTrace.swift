public import EventLoop
public import Timing

/// What the requests of one piece of work met on the wire, for whoever wants to know more than whether it succeeded.
///
/// Under a trace each request is sent once, over a connection of its own, so that the name service, the network and the
/// certificate are looked at as they are now.
@Loop public final class HTTPTrace {
  /// One request and what came of it.
  public struct Exchange: Sendable {
    public let url: HTTPURL
    public let outcome: Result<HTTPResponse, HTTPError>
    /// When the outcome was there.
    public let time: Timestamp
    public let duration: Duration
    /// When the first of the server's certificates expires; nil without TLS, or when libcurl doesn't tell.
    public let certificateEnd: Timestamp?
    /// Whether nothing was sent, since the very same credentials were refused before: the outcome is that refusal.
    public let isRemembered: Bool
  }

  /// The trace that requests of this task, and of tasks that it starts, are noted in.
  @TaskLocal public static var current: HTTPTrace?

  public private(set) var exchanges: [Exchange] = []
  private let clock: any LoopClock

  public init(clock: any LoopClock) { self.clock = clock }

  /// The clock's uptime, which ``note(_:_:since:certificateEnd:isRemembered:)`` takes.
  var uptime: Int64 { clock.uptime }

  func note(
    _ request: HTTPRequest, _ outcome: Result<HTTPResponse, HTTPError>, since began: Int64,
    certificateEnd: Timestamp? = nil, isRemembered: Bool = false
  ) {
    exchanges.append(
      Exchange(
        url: request.url, outcome: outcome, time: clock.now, duration: .nanoseconds(clock.uptime - began),
        certificateEnd: certificateEnd, isRemembered: isRemembered))
  }
}
