internal import CCurl
internal import Glibc
internal import Timing

extension CurlEasy {
  /// Sets all that a request says.
  func apply(_ request: HTTPRequest, userAgent: String) throws(HTTPError) {
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_URL, request.url.text)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_ACCEPT_ENCODING, "")  // all that libcurl can undo
    try set(CURLOPT_TCP_KEEPALIVE, 1)
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try set(CURLOPT_USERAGENT, userAgent)
    // Without it, ending a transfer whose name is still being looked up would hold up the loop until the look-up ends.
    try set(CURLOPT_QUICK_EXIT, 1)
    try setSocketSetup { _, socket, _ in
      fcntl(socket, F_SETFD, FD_CLOEXEC) == 0 ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR
    }
    try set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(request.timeouts.connect))
    try set(CURLOPT_TIMEOUT_MS, Self.milliseconds(request.timeouts.total))
    try applyMethod(of: request)
    try applyHeaders(of: request)
  }

  func apply(_ tls: TLSSettings) throws(HTTPError) {
    if let file = tls.authorityFile { try set(CURLOPT_CAINFO, file) }
    if let directory = tls.authorityDirectory { try set(CURLOPT_CAPATH, directory) }
    if let file = tls.clientCertificate { try set(CURLOPT_SSLCERT, file) }
    if let file = tls.clientKey { try set(CURLOPT_SSLKEY, file) }
  }

  /// Turns the handle's cookie engine on, and fills it.
  func enableCookies(_ lines: [String]) throws(HTTPError) {
    try set(CURLOPT_COOKIEFILE, "")
    for line in lines { try set(CURLOPT_COOKIELIST, line) }
  }

  private func applyMethod(of request: HTTPRequest) throws(HTTPError) {
    if let body = request.body ?? (request.method == .post ? [] : nil) {
      try set(body: body)
    } else if request.method == .head {
      try set(CURLOPT_NOBODY, 1)
    }
    // It changes the word alone; what the handle does was settled above.
    if request.method != .head { try set(CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
  }

  private func applyHeaders(of request: HTTPRequest) throws(HTTPError) {
    if let name = request.headers.firstMalformedName { throw HTTPError(.badHeader(name), of: request) }
    // "Name;" is libcurl's way to write a field without a value; "Name:" takes one of its own out.
    var lines = request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
    lines.append("Expect:")
    if request.headers["Content-Type"] == nil { lines.append("Content-Type:") }
    try set(headerLines: lines)
  }

  /// At least one, since zero means no limit there.
  private static func milliseconds(_ duration: Duration) -> Int {
    // Eleven days are as good as no limit, and fit a C long anywhere.
    Int(min(max(duration.wholeMilliseconds, 1), 1_000_000_000))
  }
}
