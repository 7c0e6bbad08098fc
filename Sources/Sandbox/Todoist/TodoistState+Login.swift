internal import Crypto
internal import HTTPServer
internal import JSON

/// `/oauth/authorize` and `/oauth/access_token`.
extension TodoistState {
  mutating func loginAnswer(_ request: ServerRequest) -> ServerResponse {
    switch (request.method, request.segments) {
    case ("GET", ["oauth", "authorize"]): authorize(request)
    case ("GET", ["oauth", "login"]): .page(200, "Log in", title: "Login")
    case ("POST", ["oauth", "access_token"]): issueToken(request)
    default: TodoistError.notFound.response
    }
  }

  private static let scopes: Set<String> = [
    "task:add", "data:read", "data:read_write", "data:delete", "project:delete", "backups:read", "dev:app_console",
  ]

  private mutating func authorize(_ request: ServerRequest) -> ServerResponse {
    func value(_ name: String) -> String? { request.query.first { $0.name == name }?.value }
    guard value("client_id") == configuration.clientID, let state = value("state"),
      value("redirect_uri").map({ $0 == configuration.redirect }) ?? true
    else { return .json(["error": "invalid_redirect_uri"], status: 400) }
    guard isLoggedIn else { return ServerResponse(status: 302, headers: ["Location": "/oauth/login"]) }
    let scopes = Set((value("scope") ?? "").split(separator: ",").map(String.init))
    guard !scopes.isEmpty, scopes.isSubset(of: Self.scopes) else { return back(state, "error=invalid_scope") }
    guard switches.grants else { return back(state, "error=access_denied") }
    let code = RandomText.lowerHex(40)
    let challenge = value("code_challenge_method") == "S256" ? value("code_challenge") : nil
    grants[code] = Grant(scopes: scopes, redirect: value("redirect_uri"), challenge: challenge)
    return back(state, "code=\(code)")
  }

  private func back(_ state: String, _ answer: String) -> ServerResponse {
    ServerResponse(
      status: 302, headers: ["Location": "\(configuration.redirect)?\(answer)&state=\(FormText.encode(state))"])
  }

  private mutating func issueToken(_ request: ServerRequest) -> ServerResponse {
    let items = ServerRequest.queryItems(Substring(String(decoding: request.body, as: UTF8.self))) ?? []
    func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
    guard value("client_id") == configuration.clientID, value("client_secret") == configuration.clientSecret else {
      return .json(["error": "incorrect_application_credentials"], status: 400)
    }
    guard let grant = value("code").flatMap({ grants.removeValue(forKey: $0) }),
      value("redirect_uri").map({ $0 == grant.redirect }) ?? true, proves(value("code_verifier"), grant)
    else { return .json(["error": "bad_authorization_code"], status: 400) }
    let token = RandomText.lowerHex(40)
    tokens[token] = grant.scopes
    return .json(["access_token": .init(token), "token_type": "Bearer"])
  }

  /// Whether a verifier is the one of the code's challenge (RFC 7636, 4.6).
  private func proves(_ verifier: String?, _ grant: Grant) -> Bool {
    guard let challenge = grant.challenge else { return verifier == nil && !switches.needsPKCE }
    guard let verifier, let hash = try? SHA256.hash(of: Array(verifier.utf8)) else { return false }
    return Base64.encodeForURL(hash) == challenge
  }
}
