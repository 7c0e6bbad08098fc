internal import HTTPServer
internal import RingiKit

/// The pages that are open, and the server that shows them, which listens only while there are any.
@Loop
final class NowWebPages {
  /// The most pages of one instance.
  static let limit = 32
  /// How long a page lives without being used, unless told otherwise, and how long at most, used or not.
  static let lifetime = Duration.seconds(1800)
  static let longest = Duration.seconds(12 * 3600)
  /// How long an answer waits for the browser that is sent to its address.
  private static let arrivalLife: Int64 = 10_000_000_000
  /// How many pages that have ended are kept in mind, to say so.
  private static let endedLimit = 256

  /// What looks at requests and answers them.
  var admission: LoopServer.Admission = { _ in nil }
  var handler: LoopServer.Handler = { _ in ServerResponse(status: 404) }

  private let instance: String
  private let clock: any LoopClock
  private var pages: [String: NowWebPage] = [:]
  private var ended: [String] = []
  private var server: LoopServer?
  private var isStopped = false

  init(instance: String, clock: any LoopClock) {
    self.instance = instance
    self.clock = clock
  }

  /// Where the server is; empty while it does not listen.
  var address: String { server?.url ?? "" }
  var port: UInt16 { server?.port ?? 0 }

  /// Opens a page; nothing is asked of the instance yet.
  ///
  /// - Throws: `RPCError`: overloaded when there are as many as there may be; unavailable when there is no port.
  func open(_ url: HTTPURL, theme: NowWebTheme?, lifetime: Duration) throws -> NowWebPage {
    if isStopped { throw RPCError.pluginDown("\(instance): the plugin is stopping; open the page again later.") }
    guard pages.count < Self.limit else {
      throw RPCError.overloaded(
        "\(instance): \(Self.limit) pages are open, which is all there may be; close some with \(instance).web.close.")
    }
    if server == nil {
      do throws(ServerError) {
        server = try LoopServer(admission: admission, handler: handler)
      } catch {
        throw RPCError.unavailable("\(instance): \(error.description)")
      }
    }
    let page = NowWebPage(url: url, theme: theme, lifetime: lifetime, now: clock.uptime)
    pages[page.secret] = page
    watch(page)
    return page
  }

  func page(_ secret: some StringProtocol) -> NowWebPage? {
    guard let page = pages[String(secret)], clock.uptime < page.end else { return nil }
    return page
  }

  /// The page whose cookie has a value.
  func page(cookie: Substring) -> NowWebPage? {
    pages.values.first { $0.cookie == cookie && clock.uptime < $0.end }
  }

  /// Whether there was such a page.
  func hasEnded(_ secret: some StringProtocol) -> Bool {
    ended.contains(String(secret)) || pages[String(secret)] != nil
  }

  func use(_ page: NowWebPage) { page.lastUse = clock.uptime }

  // MARK: Arrivals

  /// Has an answer at hand for the browser that is sent to its address.
  func keep(_ answer: HTTPResponse, on page: NowWebPage) { page.arrival = (answer, clock.uptime + Self.arrivalLife) }

  /// The answer that is at hand.
  func arrival(on page: NowWebPage) -> HTTPResponse? {
    page.arrival.flatMap { clock.uptime < $0.end ? $0.answer : nil }
  }

  /// Forgets the answers at hand, of all pages.
  func forgetArrivals() { for page in pages.values { page.arrival = nil } }

  // MARK: Ending

  /// Closes a page, or all without a name.
  ///
  /// - Returns: The names of those that were open.
  func close(_ id: String? = nil) -> [String] {
    let closing = pages.values.filter { id == nil || $0.id == id }
    for page in closing { end(page) }
    return closing.map(\.id).sorted()
  }

  /// Closes everything for good.
  func stop() {
    isStopped = true
    _ = close()
  }

  private func watch(_ page: NowWebPage) {
    page.alarm = clock.alarm(after: .nanoseconds(max(0, page.end - clock.uptime))) { [weak self, weak page] in
      guard let self, let page else { return }
      if self.clock.uptime < page.end { self.watch(page) } else { self.end(page) }
    }
  }

  private func end(_ page: NowWebPage) {
    page.alarm?.cancel()
    guard pages.removeValue(forKey: page.secret) != nil else { return }
    ended.append(page.secret)
    if ended.count > Self.endedLimit { ended.removeFirst() }
    guard pages.isEmpty else { return }
    server?.stop()
    server = nil
  }
}
