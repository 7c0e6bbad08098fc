internal import EventLoop

/// Why no whole response arrived.
///
/// Its text says what to do, and holds no credentials: of the URL it shows scheme, host, port and path alone.
public struct HTTPError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Kind: Sendable, Hashable {
    /// The URL, or the one that a redirect led to, cannot be used; with the reason.
    case badURL(String)
    /// A header's name or value is malformed; with the name.
    case badHeader(String)
    /// The host's, or the proxy's, name has no address.
    case resolve
    /// Nothing accepts connections there; with the system's error number, 0 when there is none.
    case connect(Int32)
    /// The TLS handshake failed; with what failed.
    case tls(String)
    case timeout(Timeout)
    /// The connection was lost before the whole response had come.
    case reset
    /// The body ended before its declared end.
    case truncated
    /// The response exceeds the limit, in bytes.
    case tooLarge(Int)
    /// Redirects went on for longer than the limit, or in a circle.
    case tooManyRedirects(Int)
    /// A redirect that must not be followed; with the reason.
    case badRedirect(String)
    /// What came is not HTTP, or not decodable; with the reason.
    case malformed(String)
    /// The server asked to be left alone, and so nothing was sent; with the time that is left.
    case resting(Duration)
    /// The task that waited was cancelled.
    case cancelled
    /// No access token could be had for the request.
    case token(TokenError)
    /// Anything else; with the HTTP library's own words.
    case failed(String)
  }

  public enum Timeout: Sendable, Hashable { case connect, idle, total }

  public let kind: Kind
  /// Whether the server may have received the request; only if not, anything may be sent again without thinking.
  public let requestWasSent: Bool
  /// Method and URL, without secrets; empty when there is no request yet.
  public let target: String

  public init(_ kind: Kind, requestWasSent: Bool = false, target: String = "") {
    self.kind = kind
    self.requestWasSent = requestWasSent
    self.target = target
  }

  public init(_ kind: Kind, requestWasSent: Bool = false, of request: HTTPRequest) {
    self.init(kind, requestWasSent: requestWasSent, target: "\(request.method.rawValue) \(request.url)")
  }

  /// Whether the same request may well succeed later.
  public var isPassing: Bool {
    switch kind {
    case .resolve, .connect, .timeout, .reset, .truncated: true
    case .token(let error): error.isPassing
    case .badURL, .badHeader, .tls, .tooLarge, .tooManyRedirects, .badRedirect, .malformed, .resting, .cancelled,
      .failed:
      false
    }
  }

  public var description: String { target.isEmpty ? reason : "\(target): \(reason)" }

  private var reason: String {
    switch kind {
    case .badURL(let why): "the URL cannot be used, \(why); correct it"
    case .badHeader(let name): "the header \(name.debugDescription) is malformed; correct its name or value"
    case .resolve: "the host name has no address; check its spelling and the network's name service"
    case .connect(let code):
      "cannot connect\(Self.text(of: code)); check host, port and proxy, and that the service runs"
    case .tls(let what): "no secure connection, \(what); check the certificate, its authority and the clock"
    case .timeout(.connect): "no connection within the time allowed; check host, port, proxy and firewall"
    case .timeout(.idle): "the server fell silent; try again later, or allow more time"
    case .timeout(.total): "no whole answer within the time allowed; try again later, or allow more time"
    case .reset: "the connection was lost before the whole answer had come; try again later"
    case .truncated: "the answer ended too early; try again later"
    case .tooLarge(let limit): "the answer is larger than the limit of \(limit) bytes; ask for less, or raise the limit"
    case .tooManyRedirects(let limit): "more than \(limit) redirects, or a circle of them; check the URL"
    case .badRedirect(let why): "the redirect was not followed, \(why); check the URL"
    case .malformed(let why): "the answer is not sound HTTP, \(why); check that the URL is the right service's"
    case .resting(let left): "the server asked to be left alone for another \(left.components.seconds) s; wait"
    case .cancelled: "cancelled"
    case .token(let error): error.description
    case .failed(let why): why
    }
  }

  private static func text(of code: Int32) -> String { code == 0 ? "" : " (\(SystemError(code, "connect")))" }
}
