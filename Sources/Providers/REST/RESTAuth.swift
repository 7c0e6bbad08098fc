internal import RingiKit

/// How an instance shows who it is.
enum RESTAuth {
  case none
  /// A token in a header, with or without a word before it.
  case token(Secret, header: String, scheme: String?)
  case basic(user: String, password: Secret)
  case oauth(HTTPURL, clientID: String, clientSecret: Secret, scope: String?, TokenEndpoint.Authentication)
  /// A request that gives a token.
  case login(RESTLogin, token: JSONPointer, expiresAt: JSONPointer?, header: String, scheme: String?)
  /// A request that sets cookies; with the one that a good login sets, where the settings name it.
  case cookie(RESTLogin, String?)

  /// The settings that hold the credentials; nil where there are none.
  var names: String? {
    switch self {
    case .none: nil
    case .token: "auth.token"
    case .basic: "auth.user and auth.password"
    case .oauth: "auth.clientId and auth.clientSecret"
    case .login, .cookie: "auth.fields and auth.secrets"
    }
  }

  /// The types by their names, with what each needs and what else it takes.
  static let types: KeyValuePairs<String, (needs: [String], takes: [String])> = [
    "header": (["header", "token"], ["scheme"]),
    "bearer": (["token"], []),
    "basic": (["user", "password"], []),
    "oauth": (["tokenUrl", "clientId", "clientSecret"], ["scope", "credentials"]),
    "login": (["path", "tokenAt"], ["body", "fields", "secrets", "expiresAt", "header", "scheme"]),
    "cookie": (["path"], ["body", "fields", "secrets", "cookie"]),
  ]

  init(_ part: SettingsPart?, below url: HTTPURL) throws(SettingsError) {
    guard let part, let type = part.text("type") else {
      self = .none
      return
    }
    try Self.check(part, type)
    func secret(_ name: String) throws(SettingsError) -> Secret {
      guard let secret = part.json[name].flatMap(Secret.init) else { throw part.fault(name, "it takes a secret") }
      return secret
    }
    let header = try part.header("header")
    if part.text("scheme").map(HTTPHeaders.isValue) == false { throw part.fault("scheme", "it takes one line of text") }
    switch type {
    case "header": self = .token(try secret("token"), header: header ?? "", scheme: part.text("scheme"))
    case "bearer": self = .token(try secret("token"), header: "Authorization", scheme: "Bearer")
    case "basic": self = .basic(user: part.text("user") ?? "", password: try secret("password"))
    case "oauth":
      self = .oauth(
        try part.url("tokenUrl"), clientID: part.text("clientId") ?? "", clientSecret: try secret("clientSecret"),
        scope: part.text("scope"), part.text("credentials") == "body" ? .body : .basic)
    case "login":
      self = .login(
        try RESTLogin(part, below: url), token: try part.pointer("tokenAt") ?? .root,
        expiresAt: try part.pointer("expiresAt"), header: header ?? "Authorization",
        scheme: part.text("scheme") ?? (header == nil ? "Bearer" : nil))
    default: self = .cookie(try RESTLogin(part, below: url), part.text("cookie"))
    }
  }

  private static func check(_ part: SettingsPart, _ type: String) throws(SettingsError) {
    guard let members = types.first(where: { $0.key == type })?.value else { return }
    if let missing = members.needs.first(where: { part.json[$0] == nil }) {
      throw part.fault("\(missing) is missing; type \(type) needs it")
    }
    let known = ["type"] + members.needs + members.takes
    if let stray = part.json.object?.keys.first(where: { !known.contains($0) }) {
      throw part.fault(stray, "type \(type) takes no such member, but \(known.joined(separator: ", "))")
    }
  }
}

/// The request that logs in.
struct RESTLogin {
  let url: HTTPURL
  let isForm: Bool
  let fields: [(name: String, value: String)]
  let secrets: [(name: String, secret: Secret)]

  init(_ part: SettingsPart, below base: HTTPURL) throws(SettingsError) {
    let path = try RESTPath(part.text("path") ?? "", in: part, "path")
    guard path.names.isEmpty else { throw part.fault("path", "the login takes no params") }
    do {
      url = base.appending(encodedPath: try path.filled { _ throws(RPCError) in "" })
    } catch {
      throw part.fault("path", error.message)
    }
    isForm = part.text("body") == "form"
    fields = part.members("fields").map { ($0.name, $0.part.json.string ?? "") }
    secrets = part.members("secrets").compactMap { name, part in Secret(part.json).map { (name, $0) } }
  }

  /// The secrets as they are now; of one that can't be read the request itself tells.
  @Loop
  func credentials(_ context: ProviderContext) async -> [String?] {
    var values: [String?] = []
    for (_, secret) in secrets { values.append(try? await context.readSecret(secret)) }
    return values
  }

  /// Makes the request, with the secrets as they are now.
  ///
  /// - Throws: `TokenError` when one cannot be read.
  @Loop
  func request(_ context: ProviderContext, _ timeouts: HTTPRequest.Timeouts) async throws(TokenError) -> HTTPRequest {
    var all = fields.map { ($0.name, $0.value) }
    for (name, secret) in secrets {
      do {
        all.append((name, try await context.readSecret(secret)))
      } catch {
        throw .noClientSecret("\(error)")
      }
    }
    var request = HTTPRequest(
      .post, url, headers: ["Accept": "application/json"], timeouts: timeouts, maxResponseBytes: 1 << 20)
    if isForm {
      request.setBody(form: all)
    } else {
      request.setBody(json: JSONValue(object: all.map { ($0.0, JSONValue($0.1)) }))
    }
    return request
  }
}
