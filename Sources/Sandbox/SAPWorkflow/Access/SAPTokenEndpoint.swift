internal import HTTPServer
internal import JSON
internal import Timing

/// `POST /oauth/token`, as XSUAA answers it.
extension SAPState {
  private struct Refusal: Error {
    let status: Int
    let error: String
    let description: String

    static let badClient = Refusal(status: 401, error: "unauthorized", description: "Bad credentials")
  }

  mutating func issueToken(_ request: ServerRequest, at now: Timestamp) -> ServerResponse {
    var response: ServerResponse
    do throws(Refusal) {
      response = .json(try tokenAnswer(Self.parameters(of: request), request.headers, at: now))
    } catch {
      response = .json(
        ["error": .init(error.error), "error_description": .init(error.description)], status: error.status)
    }
    response.headers.add("Cache-Control", "no-store")
    response.headers.add("Pragma", "no-cache")
    return response
  }

  /// The form's fields; a query string with an empty body works as well.
  private static func parameters(of request: ServerRequest) throws(Refusal) -> [String: String] {
    var items = request.query
    if request.headers["Content-Type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true {
      guard let text = String(validating: request.body, as: UTF8.self), let form = ServerRequest.queryItems(text[...])
      else { throw Refusal(status: 400, error: "invalid_request", description: "The form is not readable") }
      items += form
    }
    var parameters: [String: String] = [:]
    for item in items {
      guard parameters.updateValue(item.value, forKey: item.name) == nil else {
        throw Refusal(status: 400, error: "invalid_request", description: "\(item.name) is given twice")
      }
    }
    return parameters
  }

  private mutating func tokenAnswer(
    _ parameters: [String: String], _ headers: ServerHeaders, at now: Timestamp
  ) throws(Refusal) -> JSONValue {
    let client = try authenticatedClient(parameters, headers)
    var refresh: String?
    let grant: SAPTokens.Grant
    switch parameters["grant_type"] {
    case "client_credentials": grant = SAPTokens.Grant(client: client.id, user: nil, scopes: client.scopes)
    case "password":
      grant = try passwordGrant(parameters, client)
      refresh = tokens.makeRefresh(for: grant)
    case "authorization_code":
      let code = parameters["code"] ?? ""
      guard let found = tokens.useCode(code, client: client.id, redirectURI: parameters["redirect_uri"]) else {
        throw Refusal(status: 400, error: "invalid_grant", description: "Invalid authorization code: \(code)")
      }
      grant = found
      refresh = tokens.makeRefresh(for: grant)
    case "refresh_token": (grant, refresh) = try refreshGrant(parameters["refresh_token"] ?? "", client)
    case let type?:
      throw Refusal(status: 400, error: "unsupported_grant_type", description: "Unsupported grant type: \(type)")
    case nil: throw Refusal(status: 400, error: "invalid_request", description: "Missing grant type")
    }
    return accessToken(for: grant, type: parameters["grant_type"] ?? "", refresh: refresh, at: now)
  }

  /// The client of the Authorization header, or of the form.
  private func authenticatedClient(_ parameters: [String: String], _ headers: ServerHeaders) throws(Refusal)
    -> SAPClient
  {
    var id = parameters["client_id"]
    var secret = parameters["client_secret"]
    if let header = headers["Authorization"] {
      guard let credentials = BasicCredentials(header) else { throw .badClient }
      (id, secret) = (credentials.user, credentials.password)
    }
    guard let id, let client = clients[id], client.secret == secret else { throw .badClient }
    return client
  }

  private func passwordGrant(_ parameters: [String: String], _ client: SAPClient) throws(Refusal) -> SAPTokens.Grant {
    guard let user = users[parameters["username"] ?? ""], user.password == parameters["password"] else {
      throw Refusal(status: 401, error: "invalid_grant", description: "Bad credentials")
    }
    return SAPTokens.Grant(client: client.id, user: user.name, scopes: client.scopes)
  }

  private mutating func refreshGrant(
    _ token: String, _ client: SAPClient
  ) throws(Refusal) -> (SAPTokens.Grant, String) {
    do {
      return try tokens.useRefresh(token, client: client.id, switches.refreshTokens)
    } catch .reused {
      // Not the standard's word, as some servers have it.
      throw Refusal(status: 400, error: "token_reused", description: "The refresh token was used before")
    } catch {
      throw Refusal(status: 400, error: "invalid_grant", description: "Invalid refresh token")
    }
  }

  private mutating func accessToken(
    for grant: SAPTokens.Grant, type: String, refresh: String?, at now: Timestamp
  ) -> JSONValue {
    let expires = now + switches.tokenLife
    let scope = (grant.scopes.map { SAPScope.prefix + $0.rawValue } + ["uaa.resource"]).joined(separator: " ")
    let id = RandomText.lowerHex(32)
    let claims: JSONValue = [
      "jti": .init(id), "sub": .init(grant.user ?? grant.client), "cid": .init(grant.client),
      "grant_type": .init(type), "scope": .init(array: scope.split(separator: " ").map { JSONValue(String($0)) }),
      "iat": .init(now.seconds), "exp": .init(expires.seconds), "zid": "sandbox",
    ]
    let head: JSONValue = ["alg": "RS256", "typ": "JWT"]
    let parts = [head.utf8, claims.utf8, RandomText.bytes(256)].map(Base64.encodeForURL)
    let token = parts.joined(separator: ".")
    tokens.keep(token, for: grant, until: expires)
    let answer: JSONValue = [
      "access_token": .init(token), "token_type": "bearer",
      // The service says a second less than the token has.
      "expires_in": .init(switches.tokenLife.components.seconds - 1), "scope": .init(scope), "jti": .init(id),
    ]
    return refresh.map { answer.setting("refresh_token", to: .init($0)) } ?? answer
  }
}
