internal import HTTPServer
internal import RingiKit

/// Which page a browser's request belongs to, if any: nothing is believed but the secret in an address.
@Loop
struct NowWebRoute {
  /// A request of a page.
  struct Found {
    let page: NowWebPage
    /// Path and query at the instance.
    let target: String
    /// Whether the page's cookie alone says which page it is.
    var isByCookie = false
  }

  enum Outcome {
    case found(Found)
    case refused(ServerResponse)
  }

  let instance: String
  let pages: NowWebPages

  /// The cookie that tells the page of a request whose address and Referer don't; other ports' cookies come along, so its
  /// name has the port.
  var cookieName: String { "ringi-page-\(pages.port)" }

  func outcome(_ request: ServerRequest) -> Outcome {
    let hosts = request.headers.all("Host")
    guard hosts.count == 1, "http://\(hosts[0])" == pages.address else {
      return refused(421, "Not here", "This address is shown at \(pages.address) alone.")
    }
    guard request.target.hasPrefix("/") else { return refused(400, "Bad request", "The request has no path.") }
    guard let method = HTTPMethod(rawValue: request.method), method != .options else {
      return refused(405, "Not allowed", "Pages take no requests of this method.")
    }
    if request.headers["Service-Worker"] != nil {
      return refused(403, "Not allowed", "A page can't leave a service worker behind, which would outlive it.")
    }
    if request.headers["Upgrade"]?.lowercased().contains("websocket") == true {
      return refused(403, "Not allowed", "A page has no WebSockets here.")
    }
    guard let found = found(request) else { return missing(request) }
    guard method == .get || method == .head || isProven(request) else {
      return refused(403, "Not allowed", "What changes something has to come from the page itself.")
    }
    return .found(found)
  }

  private func refused(_ status: Int, _ title: String, _ text: String) -> Outcome {
    .refused(NowWebNotice(status: status, title: title, text: text).response)
  }

  private func missing(_ request: ServerRequest) -> Outcome {
    let again = "Open it again with \(instance).web.open."
    if Self.split(request.target).map({ pages.hasEnded($0.secret) }) == true {
      return refused(410, "The page is closed", "It was closed, or was not used for its lifetime. \(again)")
    }
    return refused(404, "No such page", "There is no page at this address. \(again)")
  }

  // MARK: The page

  private func found(_ request: ServerRequest) -> Found? {
    if let (secret, target) = Self.split(request.target), let page = pages.page(secret) {
      return Found(page: page, target: target)
    }
    // What a page asks for by a path of its own, without the secret.
    if let page = referer(request).flatMap({ pages.page($0) }) { return Found(page: page, target: request.target) }
    return cookie(request).flatMap { pages.page(cookie: $0) }.map {
      Found(page: $0, target: request.target, isByCookie: true)
    }
  }

  /// The first part of a path and the rest, which begins with a slash.
  private static func split(_ target: String) -> (secret: Substring, target: String)? {
    let rest = target.dropFirst()
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    guard end > rest.startIndex else { return nil }
    let tail = String(rest[end...])
    return (rest[..<end], tail.hasPrefix("/") ? tail : "/" + tail)
  }

  private func referer(_ request: ServerRequest) -> Substring? {
    guard let target = ownTarget(request.headers["Referer"]) else { return nil }
    return Self.split(target)?.secret
  }

  private func cookie(_ request: ServerRequest) -> Substring? {
    // Whoever listens on another port of this machine may have it, and must not change anything with it.
    guard request.method == "GET" || request.method == "HEAD" else { return nil }
    // A page of another origin on this machine is the same site for a browser, which sends the cookie along.
    if let site = request.headers["Sec-Fetch-Site"], site != "same-origin", site != "none" { return nil }
    if let referer = request.headers["Referer"], ownTarget(referer) == nil { return nil }
    if let origin = request.headers["Origin"], origin != pages.address { return nil }
    let values = request.headers.all("Cookie").flatMap { $0.split(separator: ";") }.compactMap { pair -> Substring? in
      let pair = pair.drop { $0 == " " }
      return pair.hasPrefix("\(cookieName)=") ? pair.dropFirst(cookieName.count + 1) : nil
    }
    return values.count == 1 ? values[0] : nil
  }

  /// What stands behind our own origin in an address; nil for an address of another one.
  private func ownTarget(_ address: String?) -> String? {
    guard let address, address.hasPrefix(pages.address + "/") else { return nil }
    return String(address.dropFirst(pages.address.count))
  }

  /// The instance's page that a request comes from.
  func source(of request: ServerRequest) -> String? {
    guard let target = ownTarget(request.headers["Referer"]) else { return nil }
    if let (secret, rest) = Self.split(target), pages.page(secret) != nil { return rest }
    return target
  }

  /// Whether a request that changes something comes from a page of ours: a cookie alone would come from anywhere.
  private func isProven(_ request: ServerRequest) -> Bool {
    let site = request.headers["Sec-Fetch-Site"]
    if let site, site != "same-origin" { return false }
    if let origin = request.headers["Origin"], origin != "null" || site == nil { return origin == pages.address }
    return site != nil || ownTarget(request.headers["Referer"]) != nil
  }
}
