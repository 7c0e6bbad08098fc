extension HTTPRequest {
  /// The request that a redirect asks for, or nil when `response` is none.
  ///
  /// 303 turns everything but HEAD into GET, 301 and 302 turn POST into GET, as browsers do (RFC 9110 §15.4). To another
  /// origin go no headers but `Accept…`; content never goes there, and https never leads to http.
  ///
  /// - Parameter response: The answer to this request.
  /// - Returns: The next request.
  /// - Throws: `HTTPError` of kind `badURL` or `badRedirect`.
  package func redirected(by response: HTTPResponse) throws(HTTPError) -> HTTPRequest? {
    guard [301, 302, 303, 307, 308].contains(response.status), let location = response.headers["Location"] else {
      return nil
    }
    var next = self
    do throws(HTTPError) {
      next.url = try url.resolving(location)
    } catch {
      throw HTTPError(error.kind, requestWasSent: true, of: self)
    }
    if response.status == 303 && method != .head
      || (response.status == 301 || response.status == 302) && method == .post
    {
      next.method = .get
      next.body = nil
      next.headers.keep { !$0.hasPrefix("content-") }
    }
    if next.url.origin != url.origin { try next.leave(url.origin, from: self) }
    return next
  }

  /// Drops what must not reach another origin; a list of what may go is safer than one of what may not.
  private mutating func leave(_ origin: HTTPURL.Origin, from request: HTTPRequest) throws(HTTPError) {
    if origin.scheme == "https", url.origin.scheme == "http" {
      throw HTTPError(.badRedirect("it leads from https to http"), requestWasSent: true, of: request)
    }
    guard body == nil else {
      throw HTTPError(.badRedirect("the content would go to another server"), requestWasSent: true, of: request)
    }
    headers.keep { $0.hasPrefix("accept") }
  }
}
