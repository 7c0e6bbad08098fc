internal import HTTPServer
internal import RingiKit

/// Which headers pass the proxy: lists of what may, since what may not can't be listed.
enum NowWebHeaders {
  // MARK: To the instance

  private static let asked: Set<String> = ["accept", "accept-language", "content-type", "user-agent"]
  /// Of the names with `x-`, which the service's own scripts use.
  private static let unasked: Set<String> = ["x-http-method-override", "x-authorizebycookiefirst"]

  /// The headers of a page's request that go to the instance.
  ///
  /// - Parameters:
  ///   - request: The browser's.
  ///   - referer: The instance's page that it comes from.
  ///   - origin: The instance, for a request that changes something.
  /// - Returns: The headers.
  static func request(_ request: ServerRequest, referer: String?, origin: HTTPURL.Origin?) -> HTTPHeaders {
    var headers = HTTPHeaders()
    for field in request.headers.fields {
      let name = field.name.lowercased()
      let isOwn = name.hasPrefix("x-") && !name.hasPrefix("x-forwarded") && !unasked.contains(name)
      if asked.contains(name) || isOwn, isClean(field.value) { headers.add(field.name, field.value) }
    }
    if let referer { headers["Referer"] = referer }
    if let origin { headers["Origin"] = origin.description }
    return headers
  }

  // MARK: To the browser

  private static let answered: Set<String> = [
    "content-type", "content-language", "content-disposition", "link", "refresh", "retry-after",
  ]
  /// Of the names with `x-`: what the proxy says itself, and what would send the browser elsewhere.
  private static let unanswered: Set<String> = ["x-frame-options", "x-sourcemap"]
  private static let policies: Set<String> = ["content-security-policy", "content-security-policy-report-only"]

  /// The headers of an answer that go to the browser, with those of the proxy.
  static func answer(_ response: HTTPResponse, _ rewriting: NowWebRewriting) -> ServerHeaders {
    var headers = own
    for field in response.headers {
      let name = field.name.lowercased()
      guard isClean(field.name), isClean(field.value) else { continue }
      if policies.contains(name) {
        headers.add(field.name, NowWebPolicy.adapted(field.value, of: rewriting.origin))
      } else if answered.contains(name) || name.hasPrefix("x-") && !unanswered.contains(name) {
        headers.add(field.name, rewriting.replaced(field.value))
      }
    }
    return headers
  }

  /// What every answer of the proxy says: it is kept nowhere, framed by nobody else, and its address told to nobody else.
  static let own: ServerHeaders = [
    "Cache-Control": "no-store", "Referrer-Policy": "same-origin", "X-Frame-Options": "SAMEORIGIN",
    "Cross-Origin-Resource-Policy": "same-origin",
  ]

  private static func isClean(_ value: String) -> Bool {
    value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }
}

/// A Content-Security-Policy of the instance, as it has to be for a page behind the proxy.
enum NowWebPolicy {
  private static let dropped: Set<Substring> = [
    "upgrade-insecure-requests", "block-all-mixed-content", "report-uri", "report-to", "frame-ancestors",
  ]

  /// The same policies without what asks for https or for reports, with leave for the theme's style sheet, and with the
  /// instance's files let in from the proxy.
  static func adapted(_ header: String, of instance: HTTPURL.Origin) -> String {
    header.split(separator: ",").map { policy in
      var directives = policy.split(separator: ";").map { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }) }
        .filter { !$0.isEmpty && !dropped.contains(Substring($0[0].lowercased())) }
        .map { own($0, instance) }
      let governing = ["style-src-elem", "style-src"].lazy.compactMap { name in
        directives.firstIndex { $0[0].lowercased() == name }
      }.first
      if let index = governing {
        directives[index] = withSelf(directives[index])
      } else if let all = directives.first(where: { $0[0].lowercased() == "default-src" }) {
        directives.append(withSelf(["style-src"] + all.dropFirst()))
      }
      directives.append(["frame-ancestors", "'self'"])
      return directives.map { $0.joined(separator: " ") }.joined(separator: "; ")
    }.joined(separator: ", ")
  }

  /// A directive in which `'self'` stands for sources that mean the instance, or beside those that mean others too.
  private static func own(_ directive: [Substring], _ instance: HTTPURL.Origin) -> [Substring] {
    let others = directive.dropFirst().filter { $0.contains("*") || $0.hasSuffix(":") || !covers($0, instance) }
    guard directive.dropFirst().contains(where: { covers($0, instance) }) else { return directive }
    return withSelf([directive[0]] + others)
  }

  /// Whether a source means the instance (CSP Level 3, 6.7.2.8): by scheme, host, port and path, of which it may leave
  /// out all but one.
  private static func covers(_ source: Substring, _ instance: HTTPURL.Origin) -> Bool {
    var rest = source.lowercased()[...]
    if rest == "*" || rest == "\(instance.scheme):" { return true }
    if let mark = rest.firstRange(of: "://") {
      // A source of http means https as well.
      guard [instance.scheme, "http"].contains(String(rest[..<mark.lowerBound])) else { return false }
      rest = rest[mark.upperBound...]
    }
    let authority = rest.prefix { $0 != "/" }
    let parts = authority.split(separator: ":", maxSplits: 1)
    guard let host = parts.first else { return false }
    let port = parts.count > 1 ? String(parts[1]) : instance.scheme == "https" ? "443" : "80"
    guard port == "*" || port == "\(instance.port)" else { return false }
    return host == instance.host || host.hasPrefix("*.") && instance.host.hasSuffix(host.dropFirst())
  }

  private static func withSelf(_ directive: [Substring]) -> [Substring] {
    directive.filter { $0.lowercased() != "'none'" && $0.lowercased() != "'self'" } + ["'self'"]
  }
}
