internal import RingiKit

/// A page that a client of the agent has opened.
@Loop
final class NowWebPage {
  /// Its name, which is no secret.
  nonisolated let id: String
  /// What the path of its address begins with; whoever has it has the page.
  nonisolated let secret: String
  /// What its cookie has, which is no address: a browser sends cookies to every port of this machine.
  nonisolated let cookie: String
  nonisolated let theme: NowWebTheme?
  /// How long it lives without being used.
  nonisolated let lifetime: Duration
  /// When it ends at the latest, on the clock's uptime.
  nonisolated let lastEnd: Int64
  var lastUse: Int64
  /// The page that was shown last; it begins the session again.
  var last: HTTPURL
  /// The answer to the address that the browser has been sent to, which need not be asked for again.
  var arrival: (answer: HTTPResponse, end: Int64)?
  var alarm: Alarm?

  init(url: HTTPURL, theme: NowWebTheme?, lifetime: Duration, now: Int64) {
    (id, secret, cookie) = (Self.random(4), Self.random(32), Self.random(32))
    self.theme = theme
    self.lifetime = lifetime
    lastEnd = now + NowWebPages.longest.components.seconds * 1_000_000_000
    lastUse = now
    last = url
  }

  /// When it ends unless it is used, on the clock's uptime.
  var end: Int64 { min(lastEnd, lastUse + lifetime.wholeMilliseconds * 1_000_000) }

  /// So many random bytes, in hexadecimal digits.
  private nonisolated static func random(_ count: Int) -> String {
    (0..<count).map { _ in UInt8.random(in: .min ... .max) }.hex
  }
}
