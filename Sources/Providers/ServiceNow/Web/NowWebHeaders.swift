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
