internal import RingiKit

/// What a plugins.d file says about one instance of the service.
struct SAPSettings {
  /// The service's generations; they differ in login and strictness.
  enum Environment: String, CaseIterable { case neo, cf, sbpa }

  enum Login {
    /// HTTP Basic, a session and CSRF tokens.
    case basic(user: String, password: Secret)
    /// OAuth 2: with a refresh token as a user, without as the client itself.
    case oauth(tokenURL: HTTPURL, clientID: String, clientSecret: Secret, refreshToken: Secret?)

    /// The settings that hold the credentials.
    var names: String {
      switch self {
      case .basic: "user and password"
      case .oauth(_, _, _, nil): "clientId and clientSecret"
      case .oauth: "clientId, clientSecret and refreshToken"
      }
    }
  }

  /// What completing a task with an approval or a rejection sends.
  struct Verdict {
    let decision: String?
    let context: JSONValue
  }

  let url: HTTPURL
  let login: Login
  /// Who claims tasks.
  let user: String?
  let filters: [(String, String)]
  let approve: Verdict
  let reject: Verdict
  /// The context member that takes a person's comment; nil sends none.
  let commentMember: String?
  let connection: ConnectionSettings
  let language: String?

  /// - Throws: `SettingsError` for what the schema cannot say.
  init(_ json: JSONValue, directory: String) throws(SettingsError) {
    let environment = json["environment"]?.string.flatMap(Environment.init) ?? .neo
    url = try HTTPURL(setting: "url", of: json)
    login = try environment == .neo ? Self.basic(json) : Self.oauth(json)
    user = json["user"]?.string
    let tasks = json["tasks"] ?? .emptyObject
    do throws(RPCError) {
      try SAPFilters.polled.check(tasks)
    } catch {
      throw SettingsError(at: .root.appending("tasks"), error.message)
    }
    filters = SAPFilters.polled.pairs(tasks)
    approve = Self.verdict(json["approve"], environment == .sbpa ? "approve" : nil, ["approved": true])
    reject = Self.verdict(json["reject"], environment == .sbpa ? "reject" : nil, ["approved": false])
    commentMember = json["comment"].map(\.string) ?? "comment"
    connection = try ConnectionSettings(json, directory: directory)
    language = json["language"]?.string
  }

  private static func basic(_ json: JSONValue) throws(SettingsError) -> Login {
    .basic(user: try text(json, "user", "neo"), password: try secret(json, "password", "neo"))
  }

  private static func oauth(_ json: JSONValue) throws(SettingsError) -> Login {
    let environments = "cf and sbpa"
    _ = try text(json, "uaaUrl", environments)
    // The key of a service gives the server's address; the endpoint lies below it.
    let uaa = try HTTPURL(setting: "uaaUrl", of: json)
    let path = "\(uaa)"
    return .oauth(
      tokenURL: path.hasSuffix("/oauth/token") ? uaa : uaa.appending("oauth", "token"),
      clientID: try text(json, "clientId", environments),
      clientSecret: try secret(json, "clientSecret", environments),
      refreshToken: json["refreshToken"].flatMap(Secret.init))
  }

  private static func text(_ json: JSONValue, _ name: String, _ environments: String) throws(SettingsError) -> String {
    guard let text = json[name]?.string else {
      throw SettingsError(at: .root, "\(name) is missing; environment \(environments) needs it")
    }
    return text
  }

  private static func secret(_ json: JSONValue, _ name: String, _ environments: String) throws(SettingsError) -> Secret
  {
    guard let secret = json[name].flatMap(Secret.init) else {
      throw SettingsError(at: .root, "\(name) is missing; environment \(environments) needs it")
    }
    return secret
  }

  private static func verdict(_ json: JSONValue?, _ decision: String?, _ context: JSONValue) -> Verdict {
    Verdict(decision: json?["decision"].map(\.string) ?? decision, context: json?["context"] ?? context)
  }
}
