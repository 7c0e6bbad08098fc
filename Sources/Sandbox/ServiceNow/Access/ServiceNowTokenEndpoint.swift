internal import Crypto
internal import HTTPServer
internal import JSON
internal import Timing

/// `POST /oauth_token.do`, and what belongs to it.
extension ServiceNowState {
  /// Why there is no token; the caller never learns it.
  private struct Refusal: Error { let reason: String }

  mutating func issueToken(_ request: ServerRequest, at now: Timestamp) -> ServerResponse {
    guard request.headers["Content-Type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true,
      let text = String(validating: request.body, as: UTF8.self), var fields = ServerRequest.queryItems(text[...])
    else { return failure(ServiceNowError(400, "Invalid request", "The body is no form")) }
    if switches.allowQueryParams { fields += request.query }
    let parameters = Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
    do throws(Refusal) {
      return .json(try token(parameters, at: now))
    } catch {
      refusals.append(error.reason)
      return .json(["error_description": "access_denied", "error": "server_error"], status: 401)
    }
  }

  private mutating func token(_ form: [String: String], at now: Timestamp) throws(Refusal) -> JSONValue {
    let id = form["client_id"] ?? ""
    guard let client = clients[id] else { throw Refusal(reason: "unknown client") }
    guard form["client_secret"].map({ $0 == client.secret }) ?? isPublic(form) else {
      throw Refusal(reason: "wrong client secret")
    }
    let expires = now + switches.accessTokenLife
    switch form["grant_type"] {
    case "password":
      let grant = ServiceNowTokens.Grant(client: id, user: try passwordUser(form))
      return answer(tokens.extendAccess(for: grant, until: expires, at: now), newRefresh(for: grant, at: now))
    case "client_credentials":
      guard switches.clientCredentials, let user = client.applicationUser, users[user]?.isActive == true else {
        throw Refusal(reason: "client credentials are not enabled")
      }
      return answer(tokens.makeAccess(for: .init(client: id, user: user), until: expires), nil)
    case "authorization_code":
      let grant = try codeGrant(form, client: id, at: now)
      let refresh = switches.refreshTokenWithCode ? newRefresh(for: grant, at: now) : nil
      return answer(tokens.makeAccess(for: grant, until: expires), refresh)
    case "refresh_token": return try refreshed(form["refresh_token"] ?? "", client: id, at: now)
    default: throw Refusal(reason: "unknown grant type")
    }
  }

  /// Whether a request may do without a secret: a public client shows the verifier of its code instead.
  private func isPublic(_ form: [String: String]) -> Bool {
    guard switches.publicClient else { return false }
    switch form["grant_type"] {
    case "authorization_code": return form["code_verifier"] != nil
    case "refresh_token": return switches.publicRefresh
    default: return false
    }
  }

  private func passwordUser(_ form: [String: String]) throws(Refusal) -> String {
    guard switches.passwordGrant else { throw Refusal(reason: "the password grant is disabled") }
    guard let user = users[form["username"] ?? ""], user.isActive, let password = user.password,
      password == form["password"]
    else { throw Refusal(reason: "wrong user or password") }
    return user.name
  }

  private mutating func codeGrant(
    _ form: [String: String], client: String, at now: Timestamp
  ) throws(Refusal) -> ServiceNowTokens.Grant {
    guard let code = tokens.useCode(form["code"] ?? ""), code.grant.client == client, now < code.expires,
      code.redirectURI == form["redirect_uri"], users[code.grant.user]?.isActive == true
    else { throw Refusal(reason: "wrong or used code") }
    guard let challenge = code.challenge else {
      guard form["client_secret"] != nil else { throw Refusal(reason: "a verifier without a challenge") }
      return code.grant
    }
    guard let verifier = form["code_verifier"], let hash = try? SHA256.hash(of: Array(verifier.utf8)),
      Base64.encodeForURL(hash) == challenge
    else { throw Refusal(reason: "wrong code verifier") }
    return code.grant
  }

  private mutating func refreshed(
    _ token: String, client: String, at now: Timestamp
  ) throws(Refusal) -> JSONValue {
    guard let grant = tokens.refreshGrant(of: token, client: client, at: now), users[grant.user]?.isActive == true
    else {
      throw Refusal(reason: "expired or revoked refresh token")
    }
    let access = tokens.makeAccess(for: grant, until: now + switches.accessTokenLife)
    switch switches.refreshTokenAnswer {
    case .same: return answer(access, token)
    case .absent: return answer(access, nil)
    case .rotated:
      tokens.revoke(token)
      return answer(access, newRefresh(for: grant, at: now))
    }
  }

  mutating func newRefresh(for grant: ServiceNowTokens.Grant, at now: Timestamp) -> String {
    tokens.makeRefresh(for: grant, until: now + switches.refreshTokenLife)
  }

  private func answer(_ access: String, _ refresh: String?) -> JSONValue {
    var members: [(String, JSONValue)] = [("access_token", .init(access))]
    if let refresh { members.append(("refresh_token", .init(refresh))) }
    // The time left, of which a part of a second has gone by already.
    members += [
      ("scope", "useraccount"), ("token_type", "Bearer"),
      ("expires_in", .init(max(0, switches.accessTokenLife.components.seconds - 1))),
    ]
    return JSONValue(object: members)
  }

  // MARK: Authorization codes

  /// `GET /oauth_auth.do`, for whoever the control call `log-in` named.
  mutating func authorize(_ request: ServerRequest, at now: Timestamp) -> ServerResponse {
    let query = Dictionary(request.query.map { ($0.name, $0.value) }) { first, _ in first }
    guard let state = query["state"] else { return .page(200, "Missing State parameter in request", title: "OAuth") }
    guard let user = loggedInUser else { return ServerResponse(status: 302, headers: ["Location": "/login.do"]) }
    guard let client = clients[query["client_id"] ?? ""], query["response_type"] == "code",
      let first = client.redirectURIs.first,
      query["code_challenge"] == nil || query["code_challenge_method"] == "S256"
    else { return .page(400, "Invalid request", title: "OAuth") }
    // One that is not registered counts for nothing, and is not told of either.
    let redirect = client.redirectURIs.first { $0 == query["redirect_uri"] } ?? first
    let mark = redirect.contains("?") ? "&" : "?"
    let back = "\(redirect)\(mark)state=\(FormText.encode(state))"
    switch switches.consent {
    case .allow: break
    case .deny: return ServerResponse(status: 302, headers: ["Location": "\(back)&error=access_denied"])
    case .denyWithPage: return .page(200, "The request was denied", title: "OAuth")
    }
    let code = tokens.makeCode(
      .init(
        grant: .init(client: client.id, user: user), redirectURI: redirect, challenge: query["code_challenge"],
        expires: now + switches.codeLife))
    return ServerResponse(status: 302, headers: ["Location": "\(back)&code=\(code)"])
  }

  /// `/oauth_revoke_token.do`, which asks nobody who they are.
  mutating func revokeToken(_ request: ServerRequest) -> ServerResponse {
    for item in request.query where item.name == "token" { tokens.revoke(item.value) }
    return ServerResponse(status: 200)
  }
}
