internal import HTTPServer
internal import RingiKit

/// Answers a browser with the instance's pages.
@Loop
final class NowWebProxy {
  private static let themePath = "/.ringi/theme.css"
  /// The longest answer that waits for a browser to come for it.
  private static let arrivalLimit = 4 << 20

  private let settings: ServiceNowSettings
  private let route: NowWebRoute
  private let pages: NowWebPages
  private let session: NowWebSession
  private let cache: NowWebCache
  private let events: NowWebEvents

  init(
    _ settings: ServiceNowSettings, instance: String, pages: NowWebPages, session: NowWebSession, cache: NowWebCache,
    events: NowWebEvents
  ) {
    self.settings = settings
    self.pages = pages
    self.session = session
    self.cache = cache
    self.events = events
    route = NowWebRoute(instance: instance, pages: pages)
  }

  /// The answer to a request that is refused for its head.
  func refusal(_ request: ServerRequest) -> ServerResponse? {
    if case .refused(let response) = route.outcome(request) { response } else { nil }
  }

  func answer(_ request: ServerRequest) async -> ServerResponse {
    switch route.outcome(request) {
    case .refused(let response): return response
    case .found(let found):
      pages.use(found.page)
      var response = await answer(request, found)
      if request.target.hasPrefix("/\(found.page.secret)") {
        let cookie = "\(route.cookieName)=\(found.page.cookie); Path=/; HttpOnly; SameSite=Strict"
        response.headers.add("Set-Cookie", cookie)
      }
      return response
    }
  }

  private func answer(_ request: ServerRequest, _ found: NowWebRoute.Found) async -> ServerResponse {
    let page = found.page
    // Whoever has the cookie alone must not learn the address.
    let base = found.isByCookie ? pages.address : self.base(page)
    if found.target == Self.themePath, let theme = page.theme {
      var headers = NowWebHeaders.own
      headers.add("Content-Type", "text/css; charset=utf-8")
      return ServerResponse(status: 200, headers: headers, text: theme.css)
    }
    // Whatever the target is, it stands behind the instance's own origin.
    let restoring = rewriting(page, self.base(page))
    let target = restoring.restored(query: found.target)
    guard let url = try? HTTPURL(settings.url.origin.description + target), url.origin == settings.url.origin
    else { return notice(page, base, 400, "Bad request", "This address can't be read.") }
    let visit = NowWebVisit(request, url, base: base)
    do {
      let response = try await fetch(request, visit, page, restoring)
      return shown(response, visit, page)
    } catch let problem as NowWebProblem {
      return failed(problem, visit, page)
    } catch {
      // Nobody waits for it any more.
      return ServerResponse(status: 503)
    }
  }

  // MARK: Fetching

  private func fetch(
    _ request: ServerRequest, _ visit: NowWebVisit, _ page: NowWebPage, _ restoring: NowWebRewriting
  ) async throws -> HTTPResponse {
    // Before anything is shown that is at hand.
    session.checkLogin()
    let arrival = pages.arrival(on: page)
    if visit.isNavigation { page.arrival = nil }
    if visit.method == .get, !visit.isReload {
      if let arrival, arrival.url == visit.url { return arrival }
      if let kept = cache.answer(for: visit.url) { return kept }
    }
    let isChange = visit.isChange && !NowWebSigns.isPoll(visit.url)
    // Before, and after: what was asked for meanwhile may show the instance as it was.
    if isChange { noteChange() }
    defer { if isChange { noteChange() } }
    let referer = route.source(of: request).map { settings.url.origin.description + restoring.restored(query: $0) }
    var sent = HTTPRequest(
      visit.method, visit.url,
      headers: NowWebHeaders.request(request, referer: referer, origin: visit.isChange ? settings.url.origin : nil),
      timeouts: settings.connection.timeouts)
    if visit.isChange {
      sent.body = restoring.restored(request.body, type: sent.headers["Content-Type"].flatMap { MediaType($0) })
    }
    return try await session.send(sent, isNavigation: visit.isNavigation, page: page.last) {
      events.publish(NowWebEvents.renewed, page: page, [:])
    }
  }

  /// What is at hand may show the instance as it was.
  func noteChange() {
    cache.noteChange()
    pages.forgetArrivals()
  }

  // MARK: Showing

  private func shown(_ response: HTTPResponse, _ visit: NowWebVisit, _ page: NowWebPage) -> ServerResponse {
    let isPage = response.status == 200 && response.contentType?.essence == "text/html"
    if isPage, visit.isTop { page.last = response.url }
    if visit.isByBrowser, response.url != visit.url {
      // So that relative addresses in the page start from where it is.
      if response.body.count <= Self.arrivalLimit { pages.keep(response, on: page) }
      var headers = NowWebHeaders.own
      headers.add("Location", visit.base + response.url.target)
      return ServerResponse(status: 303, headers: headers)
    }
    let rewriting = rewriting(page, visit.base)
    var headers = NowWebHeaders.answer(response, rewriting)
    if let location = response.headers["Location"], let url = try? response.url.resolving(location),
      url.origin == settings.url.origin
    {
      headers.add("Location", visit.base + url.target)
    }
    return ServerResponse(
      status: response.status, headers: headers,
      body: rewriting.body(of: response, isDocument: visit.isDocument))
  }

  private func failed(_ problem: NowWebProblem, _ visit: NowWebVisit, _ page: NowWebPage) -> ServerResponse {
    var link: (String, String)?
    // Its query may hold what a login takes.
    if let url = problem.foreign { events.publish(NowWebEvents.unsupported, page: page, ["url": "\(url)"]) }
    switch problem {
    case .elsewhere(let url): link = (url.text, "\(url)")
    case .notSent, .unknown, .dropped, .busy, .replaced: link = (visit.base + page.last.target, "Load the page again")
    case .noLogin, .circle, .asleep, .noAnswer: break
    }
    if visit.isNavigation, problem.isFailedNavigation {
      events.publish(NowWebEvents.failed, page: page, ["url": "\(visit.url)", "reason": problem.text])
    }
    return notice(page, visit.base, problem.status, "The page can't be shown", problem.text, link)
  }

  private func notice(
    _ page: NowWebPage, _ base: String, _ status: Int, _ title: String, _ text: String, _ link: (String, String)? = nil
  ) -> ServerResponse {
    var notice = NowWebNotice(status: status, title: title, text: text)
    notice.link = link.map { (address: $0.0, name: $0.1) }
    notice.themePath = themePath(page, base)
    return notice.response
  }

  /// What stands for the instance's address in a page.
  func base(_ page: NowWebPage) -> String { "\(pages.address)/\(page.secret)" }

  private func rewriting(_ page: NowWebPage, _ base: String) -> NowWebRewriting {
    NowWebRewriting(origin: settings.url.origin, base: base, themePath: themePath(page, base))
  }

  private func themePath(_ page: NowWebPage, _ base: String) -> String? {
    page.theme.map { _ in base.dropFirst(pages.address.count) + Self.themePath }
  }
}
