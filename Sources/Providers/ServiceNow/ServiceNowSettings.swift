internal import RingiKit

/// What a plugins.d file says about one ServiceNow instance.
struct ServiceNowSettings {
  enum LoginKind: String, CaseIterable {
    case basic, password
    case clientCredentials = "client-credentials"
    case refreshToken = "refresh-token"
  }

  /// An OAuth grant with what it takes.
  enum Grant {
    case password(user: String, Secret)
    case clientCredentials
    case refreshToken(Secret?)
  }

  enum Login {
    case basic(user: String, password: Secret)
    case oauth(clientID: String, clientSecret: Secret, scope: String?, Grant)
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
      case .basic, .clientCredentials: .clientCredentials
      }
    return .oauth(
      clientID: try text(json, "clientId", kind), clientSecret: try secret(json, "clientSecret", kind),
      scope: json["scope"]?.string, grant)
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
