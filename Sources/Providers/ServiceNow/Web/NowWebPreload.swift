internal import RingiKit

/// Fetches pages, and what they link, before anybody opens them.
@Loop
struct NowWebPreload {
  /// The most files that are fetched for one page, and how far it is searched for them.
  private static let links = 64
  private static let scanLimit = 1 << 20
  /// The most references that are looked at, whether they are the instance's or not.
  private static let referenceLimit = 512

  let instance: HTTPURL
  let session: NowWebSession
  let cache: NowWebCache
  let timeouts: HTTPRequest.Timeouts

  /// What became of one page.
  struct Result {
    var isKept = false
    var reason: String?
    /// How many of the files that it links are kept.
    var linked = 0
  }

  /// Fetches one page.
  ///
  /// - Throws: `CancellationError`.
  func load(_ url: HTTPURL) async throws -> Result {
    var result = Result()
    let changes = cache.changes
    do {
      let response = try await fetch(url, isNavigation: true, page: url)
      result.reason = keep(response, for: url, since: changes)
      result.isKept = result.reason == nil
      guard result.isKept, response.contentType?.essence == "text/html" else { return result }
      for link in linked(by: response) {
        // A page can do without; it is asked for again when the page is shown.
        guard let file = try? await fetch(link, isNavigation: false, page: url) else { continue }
        if keep(file, for: link, since: changes) == nil { result.linked += 1 }
      }
      try Task.checkCancellation()
    } catch let problem as NowWebProblem {
      result.reason = problem.text
    }
    return result
  }

  private func fetch(_ url: HTTPURL, isNavigation: Bool, page: HTTPURL) async throws -> HTTPResponse {
    try Task.checkCancellation()
    let accept = isNavigation ? "text/html,*/*;q=0.8" : "*/*"
    let request = HTTPRequest(.get, url, headers: ["Accept": accept], timeouts: timeouts)
    return try await session.send(request, isNavigation: isNavigation, page: page)
  }

  /// Keeps an answer; gives the reason why not.
  private func keep(_ response: HTTPResponse, for url: HTTPURL, since changes: Int) -> String? {
    guard cache.changes == changes else { return "Something was changed at the instance meanwhile; preload it again." }
    guard response.status == 200 else { return "The instance answered with status \(response.status)." }
    guard response.url == url else { return "The instance leads to another page, \(response.url); preload that one." }
    return cache.keep(response, for: url) ? nil : "It is longer than \(NowWebCache.entryLimit >> 20) MiB."
  }

  /// The style sheets, scripts and images of the instance that a page names.
  private func linked(by response: HTTPResponse) -> [HTTPURL] {
    var base = response.url
    var found: [HTTPURL] = []
    var references = 0
    for tag in NowWebTags(response.body, limit: Self.scanLimit) {
      let reference: String? =
        switch tag.name {
        case "link" where tag["rel"]?.lowercased().split(separator: " ").contains("stylesheet") == true: tag["href"]
        case "script", "img": tag["src"]
        default: nil
        }
      let isBase = tag.name == "base" && tag["href"] != nil
      if isBase || reference != nil { references += 1 }
      guard references <= Self.referenceLimit, found.count < Self.links else { break }
      if isBase, let href = tag["href"], let url = try? response.url.resolving(href) { base = url }
      // Without a user's name, whose password would go along.
      guard let reference, !reference.isEmpty, !reference.hasPrefix("data:"),
        let url = try? base.resolving(reference).withoutUser, url.origin == instance.origin, !found.contains(url)
      else { continue }
      found.append(url)
    }
    return found
  }
}
