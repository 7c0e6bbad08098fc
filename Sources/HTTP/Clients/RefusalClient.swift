public import EventLoop

/// Remembers with which credentials a server let nobody in, so that a check need not try them again: some servers lock an
/// account after a few tries.
///
/// Calls are sent as ever. Under an ``HTTPTrace`` a request whose credentials were refused last time is not sent; it gets
/// that refusal again.
@Loop public final class RefusalClient: HTTPClient {
  private let base: any HTTPClient
  /// The refusals by what stands for the credentials, without the credentials themselves.
  private var refusals: [Int: HTTPResponse] = [:]
  /// The keys of the refusals, the oldest first.
  private var order: [Int] = []

  private static let most = 16
  private static let mostBody = 64 << 10

  public init(_ base: any HTTPClient) { self.base = base }

  public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    // With a session's cookies it is the session that is refused, and the next request logs in.
    guard request.cookies?.isEmpty ?? true else { return try await base.send(request) }
    let credentials = Self.credentials(of: request)
    if let trace = HTTPTrace.current, let refusal = refusals[credentials] {
      trace.note(request, .success(refusal), since: trace.uptime, isRemembered: true)
      return refusal
    }
    let response = try await base.send(request)
    if Self.isRefusal(response, of: request) {
      remember(response, to: request)
    } else if refusals.removeValue(forKey: credentials) != nil {
      order.removeAll { $0 == credentials }
    }
    return response
  }

  /// Notes an answer that is a refusal although its status does not say so.
  public func remember(_ response: HTTPResponse, to request: HTTPRequest) {
    let credentials = Self.credentials(of: request)
    if refusals[credentials] == nil {
      if order.count >= Self.most { refusals[order.removeFirst()] = nil }
      order.append(credentials)
    }
    refusals[credentials] = HTTPResponse(
      status: response.status, headers: response.headers,
      body: response.body.count <= Self.mostBody ? response.body : [], url: response.url)
  }

  /// A form that logs in may be refused with 400 (RFC 6749 §5.2) or 403.
  private static func isRefusal(_ response: HTTPResponse, of request: HTTPRequest) -> Bool {
    response.status == 401 || request.method == .post && (response.status == 400 || response.status == 403)
  }

  /// Stands for the server and the credentials: headers, and a form, that are the same belong to the same login.
  private static func credentials(of request: HTTPRequest) -> Int {
    var hasher = Hasher()
    hasher.combine(request.url.origin)
    let others = ["accept", "content-", "x-csrf-token"]
    for (name, value) in request.headers where !others.contains(where: name.lowercased().hasPrefix) {
      hasher.combine(name.lowercased())
      hasher.combine(value)
    }
    if request.method == .post {
      hasher.combine(request.url.text)
      hasher.combine(request.body)
    }
    return hasher.finalize()
  }
}
