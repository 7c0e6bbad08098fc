internal import HTTPServer
internal import JSON

extension SAPUser {
  init(name: String, _ request: ServerRequest) throws(ControlError) {
    let body = try ControlBody(of: request, taking: ["password", "role", "groups"])
    self.init(
      name: name, password: try body.need("password", try body.string("password")),
      role: try body.choice("role") ?? .recipient, groups: try body.strings("groups") ?? [])
  }
}

extension SAPClient {
  init(id: String, _ request: ServerRequest) throws(ControlError) {
    let body = try ControlBody(of: request, taking: ["secret", "scopes"])
    var scopes: [SAPScope] = []
    for name in try body.strings("scopes") ?? SAPScope.allCases.map(\.rawValue) {
      guard let scope = SAPScope(rawValue: name) else {
        throw .invalid("No scope \(name); there are \(SAPScope.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      scopes.append(scope)
    }
    self.init(id: id, secret: try body.need("secret", try body.string("secret")), scopes: scopes)
  }
}
