internal import HTTPServer

/// `GET /oauth/authorize`, with somebody logged in already.
extension SAPState {
  /// Sends the browser back with a code for the person whom the control API let log in.
  mutating func authorize(_ request: ServerRequest) -> ServerResponse {
    func value(_ name: String) -> String? { request.query.first { $0.name == name }?.value }
    guard let client = clients[value("client_id") ?? ""], value("response_type") == "code",
      let redirect = value("redirect_uri")
    else { return .page(400, "Invalid authorization request") }
    guard let user = loggedInUser.flatMap({ users[$0] }) else { return .page(200, "Log in", title: "Login") }
    let grant = SAPTokens.Grant(client: client.id, user: user.name, scopes: client.scopes)
    let code = tokens.makeCode(for: grant, redirectURI: redirect)
    let state = value("state").map { "&state=\(percentEncoded($0))" } ?? ""
    let location = "\(redirect)\(redirect.contains("?") ? "&" : "?")code=\(code)\(state)"
    return ServerResponse(status: 302, headers: ["Location": location])
  }
}

/// Escapes all but the unreserved characters (RFC 3986, 2.3).
private func percentEncoded(_ text: String) -> String {
  text.utf8.map { byte in
    let character = Character(UnicodeScalar(byte))
    if character.isASCII && (character.isLetter || character.isNumber || "-._~".contains(character)) {
      return String(character)
    }
    return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }.joined()
}
