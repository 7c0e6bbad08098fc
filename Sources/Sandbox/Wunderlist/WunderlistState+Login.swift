internal import HTTPServer
internal import JSON

/// `/oauth/authorize` and `/oauth/access_token`.
extension WunderlistState {
  mutating func loginAnswer(_ request: ServerRequest) -> ServerResponse {
    switch (request.method, request.segments) {
    case ("GET", ["oauth", "authorize"]): authorize(request)
    case ("GET", ["oauth", "login"]): .page(200, "Log in", title: "Login")
    case ("POST", ["oauth", "access_token"]): issueToken(request)
    default: WunderlistError.notFound.response
    }
  }

  private mutating func authorize(_ request: ServerRequest) -> ServerResponse {
    func value(_ name: String) -> String? { request.query.first { $0.name == name }?.value }
    guard value("client_id") == configuration.clientID, let redirect = value("redirect_uri"),
      configuration.redirects.contains(redirect), let state = value("state"), !state.isEmpty
    else { return .page(403, "Forbidden", title: "Forbidden") }
    guard isLoggedIn else { return ServerResponse(status: 302, headers: ["Location": "/oauth/login"]) }
    let code = RandomText.lowerHex(20)
    codes.insert(code)
    return ServerResponse(
      status: 302, headers: ["Location": "\(redirect)?state=\(FormText.encode(state))&code=\(code)"])
  }

  private mutating func issueToken(_ request: ServerRequest) -> ServerResponse {
    guard let members = credentials(in: request) else {
      return .json(["error": ["type": "missing_data"]], status: 400)
    }
    let (id, secret, code) = (members["client_id"], members["client_secret"], members["code"])
    guard id == configuration.clientID, secret == configuration.clientSecret, let code,
      codes.remove(code) != nil
    else { return .json(.emptyObject, status: 400) }
    let token = RandomText.lowerHex(48)
    tokens.insert(token)
    return .json(["access_token": .init(token)])
  }

  private func credentials(in request: ServerRequest) -> [String: String]? {
    let type = request.headers["Content-Type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
    if type == "application/json", let json = try? JSONValue(parsing: request.body), let object = json.object {
      return Dictionary(object.map { ($0.key, $0.value.string ?? "") }) { $1 }
    }
    guard switches.legacyFormOk,
      let items = ServerRequest.queryItems(Substring(String(decoding: request.body, as: UTF8.self)))
    else { return nil }
    return Dictionary(items.map { ($0.name, $0.value) }) { $1 }
  }
}
