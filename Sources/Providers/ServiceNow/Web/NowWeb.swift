internal import HTTPServer
internal import RingiKit

/// The instance's web pages in the login's session, as the Mobile SDK's NowWeb has them.
///
/// The session is apart from the Table API's requests, which keep none.
@Loop
final class NowWeb {
  let instance: String
  private let settings: ServiceNowSettings
  private let clock: any LoopClock
  private let pages: NowWebPages
  private let cache: NowWebCache
  /// With a login by token alone: pages take no other.
  private let session: NowWebSession?
  private let proxy: NowWebProxy?

  /// - Parameters:
  ///   - settings: The instance's.
  ///   - tokens: Those of the login; nil for a login without.
  ///   - client: What reaches the instance without credentials, and rests when it asks for that.
  ///   - failure: Makes errors of a login's.
  ///   - context: The plugin's.
  init(
    _ settings: ServiceNowSettings, tokens: TokenSource?, client: any HTTPClient, failure: ServiceNowFailure,
    context: ProviderContext
  ) {
    instance = context.instance
    self.settings = settings
    clock = context.clock
    let pages = NowWebPages(instance: context.instance, clock: context.clock)
    let cache = NowWebCache(clock: context.clock)
    (self.pages, self.cache) = (pages, cache)
    guard let tokens else {
      (session, proxy) = (nil, nil)
      return
    }
    let session = NowWebSession(settings, tokens: tokens, client: client, failure: failure)
    session.onEnd = {
      cache.removeAll()
      pages.forgetArrivals()
    }
    let proxy = NowWebProxy(
      settings, instance: context.instance, pages: pages, session: session, cache: cache, events: NowWebEvents(context))
    // The proxy has the pages, and would keep itself.
    pages.admission = { [weak proxy] in proxy?.refusal($0) }
    pages.handler = { [weak proxy] in await proxy?.answer($0) ?? ServerResponse(status: 503) }
    (self.session, self.proxy) = (session, proxy)
  }

  /// Something was changed over the instance's API.
  func noteChange() { proxy?.noteChange() }

  /// A page that is open now.
  struct Opened {
    let id: String
    let url: String
    let expires: Timestamp
  }

  /// Opens a page.
  ///
  /// - Throws: `RPCError`.
  func open(_ text: String, theme: JSONValue?, lifetime: Duration?) throws -> Opened {
    guard let proxy else { throw withoutToken }
    let address = try NowWebAddress(text, on: settings.url)
    let theme = try theme.map { try NowWebTheme($0) }
    let page = try pages.open(address.url, theme: theme, lifetime: lifetime ?? NowWebPages.lifetime)
    return Opened(
      id: page.id,
      url: proxy.base(page) + address.url.target + (address.fragment.isEmpty ? "" : "#\(address.fragment)"),
      expires: clock.now + .nanoseconds(page.end - clock.uptime))
  }

  /// Closes a page, or all of them.
  ///
  /// - Returns: The names of those that were open.
  func close(_ id: String?) -> [String] { pages.close(id) }

  /// Fetches pages before they are opened.
  ///
  /// - Returns: What became of each.
  /// - Throws: `RPCError`; `CancellationError`.
  func preload(_ texts: [String]) async throws -> [(url: HTTPURL, result: NowWebPreload.Result)] {
    guard let session else { throw withoutToken }
    let preload = NowWebPreload(
      instance: settings.url, session: session, cache: cache, timeouts: settings.connection.timeouts)
    var results: [(url: HTTPURL, result: NowWebPreload.Result)] = []
    for url in try texts.map({ try NowWebAddress($0, on: settings.url).url }) {
      results.append((url, try await preload.load(url)))
    }
    return results
  }

  func stop() {
    pages.stop()
    session?.end()
  }

  private var withoutToken: RPCError {
    .loginRequired(
      provider: instance,
      message:
        "\(instance): web pages are opened with a token, and login is \(settings.kind.rawValue): set login to one of the OAuth logins."
    )
  }
}
