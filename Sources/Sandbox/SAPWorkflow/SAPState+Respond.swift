internal import HTTPServer
internal import Timing

extension SAPState {
  /// Answers a request of the service's own API, after what fell due and under the faults that were asked for.
  mutating func respond(to request: ServerRequest) -> ServerResponse {
    settle()
    let paths = [request.segments] + environment.basePaths.compactMap { Self.rest(of: request.segments, under: $0) }
    let fault = faults.take(method: request.method, paths: paths)
    var response = fault.map { answer(request, under: $0) } ?? process(request)
    addCommonHeaders(to: &response)
    let isAnswered = response.delivery.ending == .answer
    log.add(.init(time: clock.now, request: request, status: isAnswered ? response.status : 0))
    return response
  }

  /// Answers as the service does when nothing is wrong.
  mutating func process(_ request: ServerRequest) -> ServerResponse {
    let now = clock.now
    switch environment {
    case .neo: return processWithSession(request, at: now)
    case .cf, .sbpa:
      switch (request.method, request.path) {
      case ("POST", "/oauth/token"): return issueToken(request, at: now)
      case (_, "/oauth/token"): return response(to: .method(allowed: ["POST"]))
      case ("GET", "/oauth/authorize"): return authorize(request)
      default: return processWithToken(request, at: now)
      }
    }
  }

  /// The path below the first base path that fits.
  func servicePath(of request: ServerRequest) -> [String]? {
    environment.basePaths.lazy.compactMap { Self.rest(of: request.segments, under: $0) }.first
  }

  private static func rest(of segments: [String], under base: [String]) -> [String]? {
    segments.starts(with: base) ? Array(segments.dropFirst(base.count)) : nil
  }

  private func addCommonHeaders(to response: inout ServerResponse) {
    var common: [(String, String)]
    switch environment {
    case .neo:
      common = [
        ("X-Content-Type-Options", "nosniff"), ("Server", "SAP"),
        ("Strict-Transport-Security", "max-age=31536000; includeSubDomains; preload"),
      ]
    case .cf, .sbpa:
      common = [
        ("X-Content-Type-Options", environment == .cf ? "nosniff, nosniff" : "nosniff"),
        ("Cache-Control", "no-cache, no-store, max-age=0, must-revalidate"), ("Pragma", "no-cache"), ("Expires", "0"),
        ("X-Frame-Options", "DENY"), ("X-Vcap-Request-Id", RandomText.uuid()),
      ]
    }
    common.append(("Date", clock.now.httpDate))
    for (name, value) in common where response.headers[name] == nil { response.headers.add(name, value) }
    switches.headerCase.apply(to: &response.headers)
  }
}
