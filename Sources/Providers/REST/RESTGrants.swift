internal import RingiKit

/// A token that is kept in a secret; after a refusal it is read again, for it may have been renewed there.
@Loop
final class SecretGrant: TokenGrant {
  private let read: @Loop @Sendable () async throws -> String

  init(_ read: @escaping @Loop @Sendable () async throws -> String) { self.read = read }

  func fetch() async throws(TokenError) -> AccessToken {
    do {
      return AccessToken(try await read())
    } catch {
      throw .noClientSecret("\(error)")
    }
  }
}

/// A token that the service gives for a login of its own.
@Loop
final class LoginGrant: TokenGrant {
  private let login: RESTLogin
  private let client: any HTTPClient
  private let context: ProviderContext
  private let settings: (token: JSONPointer, expiresAt: JSONPointer?, timeouts: HTTPRequest.Timeouts)

  /// Whether it was said that the service's times make no sense.
  private var hasWarned = false

  /// How long before its end a token is renewed, at most.
  private static let margin = Duration.seconds(60)
  /// How long a token is used at least unless it is refused: a login for each request is what locks accounts.
  private static let shortest = Duration.seconds(10)

  init(
    _ login: RESTLogin, _ client: any HTTPClient, _ context: ProviderContext,
    token: JSONPointer, expiresAt: JSONPointer?, timeouts: HTTPRequest.Timeouts
  ) {
    self.login = login
    self.client = client
    self.context = context
    settings = (token, expiresAt, timeouts)
  }

  func fetch() async throws(TokenError) -> AccessToken {
    let response = try await client.response(to: login.request(context, settings.timeouts), clock: context.clock)
    guard response.isSuccess, let json = try? response.plainJSON() else {
      throw .unusable(status: response.status, "it is no JSON")
    }
    guard let token = json[pointer: settings.token]?.string, !token.isEmpty else {
      // The service's way to refuse; sent again and again it would lock the account.
      throw .refused(status: response.status, code: "no token at \(settings.token)")
    }
    return AccessToken(token, renewAt: renewAt(json, response))
  }

  /// By our clock, although the service's may be far from it.
  private func renewAt(_ json: JSONValue, _ response: HTTPResponse) -> Timestamp? {
    let now = context.clock.now
    guard let end = settings.expiresAt.flatMap({ json[pointer: $0]?.string }).flatMap(RESTTime.init)?.timestamp else {
      return nil
    }
    let sent = response.headers["Date"].flatMap { Timestamp(httpDate: $0, now: now) } ?? now
    let life = end.duration(since: sent)
    guard life > .zero else {
      if !hasWarned {
        context.log(.warning, "the login's token has ended already by its own time; it is used until it is refused")
      }
      hasWarned = true
      return nil
    }
    return now + max(life - min(Self.margin, life / 10), Self.shortest)
  }
}

extension HTTPClient {
  /// Sends a login, and makes an error of what is no success.
  func response(to request: HTTPRequest, clock: any LoopClock) async throws(TokenError) -> HTTPResponse {
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await send(request)
    } catch {
      throw .transport(error)
    }
    switch response.status {
    case 200...399: return response
    case 408, 425, 429, 500...:
      throw .unavailable(status: response.status, retryAfter: response.retryAfter(now: clock.now))
    default: throw .refused(status: response.status, code: nil)
    }
  }
}
