internal import RingiKit

/// What a plugins.d file says about one ServiceNow instance.
struct ServiceNowSettings {
  enum LoginKind: String, CaseIterable {
    case basic, password
    case clientCredentials = "client-credentials"
    case refreshToken = "refresh-token"
    case authorizationCode = "authorization-code"

    /// The settings that hold the credentials.
    var names: String {
      switch self {
      case .basic: "user and password"
      case .password: "user, password, clientId and clientSecret"
      case .clientCredentials: "clientId and clientSecret"
      case .refreshToken: "clientId, clientSecret and refreshToken"
      case .authorizationCode: "clientId, clientSecret and redirectUri"
      }
    }

    /// What to do where a person cannot log in with a browser.
    var credentials: String { "check \(names) in its settings, or set login to authorization-code" }
  }

  /// An OAuth grant with what it takes.
  enum Grant {
    case password(user: String, Secret)
    case clientCredentials
    case refreshToken(Secret?)
    /// What a person granted with a browser.
    case authorizationCode(LoopbackRedirect)
  }

  enum Login {
    case basic(user: String, password: Secret)
    /// A public client has no secret; it shows the proof key of its code instead.
    case oauth(clientID: String, clientSecret: Secret?, scope: String?, Grant)
  }

  let url: HTTPURL
  let kind: LoginKind
  let login: Login
  /// The users who have delegated their approvals, by sys_id.
  let delegators: [String]
  let rejectionComment: String
  let connection: ConnectionSettings

  /// - Throws: `SettingsError` for what the schema cannot say.
  init(_ json: JSONValue, directory: String) throws(SettingsError) {
    url = try HTTPURL(setting: "url", of: json)
    kind = json["login"]?.string.flatMap(LoginKind.init) ?? .basic
    login = try Self.login(json, kind)
    delegators = json["delegators"]?.array?.compactMap(\.string) ?? []
    if let index = delegators.firstIndex(where: { !ServiceNowQuery.canStand($0) }) {
      throw SettingsError(
        at: .root.appending("delegators").appending(String(index)),
        "delegators got \(delegators[index].debugDescription), but takes sys_ids, in which there is no ^ and no comma")
    }
    rejectionComment = json["rejectionComment"]?.string ?? "Rejected."
    connection = try ConnectionSettings(json, directory: directory)
  }

  private static func login(_ json: JSONValue, _ kind: LoginKind) throws(SettingsError) -> Login {
    if kind == .basic {
      return .basic(user: try text(json, "user", kind), password: try secret(json, "password", kind))
    }
    let grant: Grant =
      switch kind {
      case .password: .password(user: try text(json, "user", kind), try secret(json, "password", kind))
      case .refreshToken: .refreshToken(json["refreshToken"].flatMap(Secret.init))
      case .authorizationCode: .authorizationCode(try redirect(json, kind))
      case .basic, .clientCredentials: .clientCredentials
      }
    let clientID = try text(json, "clientId", kind)
    let isPublic = kind == .authorizationCode && json["clientSecret"] == nil
    return .oauth(
      clientID: clientID, clientSecret: isPublic ? nil : try secret(json, "clientSecret", kind),
      scope: json["scope"]?.string, grant)
  }

  private static func redirect(_ json: JSONValue, _ kind: LoginKind) throws(SettingsError) -> LoopbackRedirect {
    _ = try text(json, "redirectUri", kind)
    return try LoopbackRedirect(json)
  }

  private static func text(_ json: JSONValue, _ name: String, _ kind: LoginKind) throws(SettingsError) -> String {
    guard let text = json[name]?.string else { throw missing(name, kind) }
    return text
  }

  private static func secret(_ json: JSONValue, _ name: String, _ kind: LoginKind) throws(SettingsError) -> Secret {
    guard let secret = json[name].flatMap(Secret.init) else { throw missing(name, kind) }
    return secret
  }

  private static func missing(_ name: String, _ kind: LoginKind) -> SettingsError {
    SettingsError(at: .root, "\(name) is missing; login \(kind.rawValue) needs it")
  }
}
