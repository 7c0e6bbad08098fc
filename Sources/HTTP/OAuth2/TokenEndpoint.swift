public import EventLoop
internal import JSON
internal import Timing

/// A server's token endpoint with our credentials as its client (RFC 6749 §3.2).
@Loop public final class TokenEndpoint {
  /// How the client proves who it is (RFC 6749 §2.3.1).
  public enum Authentication: Sendable, Hashable {
    /// In the `Authorization` header, as Base64 of `id:secret` without percent-encoding.
    ///
    /// The RFC would have both percent-encoded first; SAP's XSUAA and most other servers compare them as they are.
    case basic
    /// In the form, where both are percent-encoded.
    case body
    /// Not at all: a public client has no secret (RFC 6749 §2.1), and its id alone goes into the form.
    case none
  }

  private let url: HTTPURL
  private let clientID: String
  private let clientSecret: @Loop @Sendable () async throws -> String
  private let authentication: Authentication
  private let timeouts: HTTPRequest.Timeouts
  private let client: any HTTPClient
  private let clock: any LoopClock

  /// Keeps what a request for a token takes.
  ///
  /// - Parameters:
  ///   - url: The endpoint.
  ///   - clientID: The client's name.
  ///   - authentication: How the client proves who it is.
  ///   - timeouts: How long a request may take.
  ///   - client: What sends.
  ///   - clock: Tells when a token was made.
  ///   - clientSecret: Reads the secret, where there is one; asked at each fetch, so that a changed one is found.
  public init(
    url: HTTPURL, clientID: String, authentication: Authentication = .basic, timeouts: HTTPRequest.Timeouts = .init(),
    client: any HTTPClient, clock: any LoopClock, clientSecret: @escaping @Loop @Sendable () async throws -> String
  ) {
    self.url = url
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.authentication = authentication
    self.timeouts = timeouts
    self.client = client
    self.clock = clock
  }

  /// A token, and the refresh token that came with it, if any.
  public struct Answer: Sendable {
    public let token: AccessToken
    public let refreshToken: String?
  }

  /// Exchanges the code that a browser brought back (RFC 6749 §4.1.3), with its proof key (RFC 7636 §4.5).
  ///
  /// - Parameters:
  ///   - code: The code, which is worth nothing a second time.
  ///   - redirect: Where the browser was to come back to, as the page was told.
  ///   - verifier: The proof key.
  /// - Returns: The tokens.
  /// - Throws: `TokenError`.
  public func exchange(code: String, redirect: String, verifier: String) async throws(TokenError) -> Answer {
    try await request([
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect), ("code_verifier", verifier),
    ])
  }

  func request(_ form: [(String, String)]) async throws(TokenError) -> Answer {
    var request = HTTPRequest(
      .post, url, headers: ["Accept": "application/json"], timeouts: timeouts, maxResponseBytes: 1 << 20)
    switch authentication {
    case .basic:
      request.headers["Authorization"] = HTTPHeaders.basic(user: clientID, password: try await readSecret())
      request.setBody(form: form)
    case .body:
      request.setBody(form: form + [("client_id", clientID), ("client_secret", try await readSecret())])
    case .none:
      request.setBody(form: form + [("client_id", clientID)])
    }
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await client.send(request)
    } catch {
      throw .transport(error)
    }
    return try read(response)
  }

  private func readSecret() async throws(TokenError) -> String {
    do {
      return try await clientSecret()
    } catch {
      throw .noClientSecret("\(error)")
    }
  }

  private func read(_ response: HTTPResponse) throws(TokenError) -> Answer {
    let json = try? response.json()
    switch response.status {
    case 200...299: break
    case 408, 425, 429, 500...:
      throw .unavailable(status: response.status, retryAfter: response.retryAfter(now: clock.now))
    case 400...499: throw .refused(status: response.status, code: json?["error"]?.string.flatMap(Self.code))
    default: throw .unusable(status: response.status, "it leads elsewhere")
    }
    guard let json else {
      throw .unusable(
        status: response.status, "it is \(response.contentType?.essence ?? "of no declared type"), not JSON")
    }
    guard let value = json["access_token"]?.string, !value.isEmpty else {
      throw .unusable(status: response.status, "access_token is missing")
    }
    guard Self.isPlain(value) else {
      throw .unusable(status: response.status, "access_token has signs that a header does not take")
    }
    guard json["token_type"]?.string.map({ $0.lowercased() == "bearer" }) ?? true else {
      throw .unusable(status: response.status, "its token_type is not bearer")
    }
    return Answer(
      token: AccessToken(value, lifetime: Self.lifetime(json["expires_in"]), now: clock.now),
      refreshToken: json["refresh_token"]?.string)
  }

  /// Some servers write the number as a string.
  private static func lifetime(_ value: JSONValue?) -> Int64? {
    guard
      let seconds = value?.int ?? value?.double.flatMap({ Int64(exactly: $0.rounded(.down)) })
        ?? value?.string.flatMap({ Int64($0) })
    else { return nil }
    return min(max(seconds, 0), 10 * 366 * 86_400)
  }

  /// An error's code; it is printed, so it has to look like one.
  ///
  /// - Parameter text: What the server sent.
  /// - Returns: nil for what is none.
  public nonisolated static func code(_ text: String) -> String? {
    isPlain(text) && text.utf8.count <= 64 ? text : nil
  }

  /// Whether a text has signs alone that a header takes, as tokens do: with others every request would fail.
  ///
  /// - Parameter text: A token.
  /// - Returns: false for an empty one, too.
  public nonisolated static func isPlain(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
