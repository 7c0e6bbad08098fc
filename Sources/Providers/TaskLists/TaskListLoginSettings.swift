internal import RingiKit

/// How an instance logs a person in with a browser, where its settings have what that takes.
struct TaskListLoginSettings {
  /// Where `authorize` and `access_token` are.
  let oauth: HTTPURL
  let clientID: String
  let clientSecret: Secret
  let redirect: LoopbackRedirect

  static let properties: [(name: String, schema: Schema)] = [
    ("clientSecret", .secret("The registered client's secret, for ringi login.")), LoopbackRedirect.property,
  ]

  /// - Returns: nil without a client's secret.
  /// - Throws: `SettingsError` for a callback that does not lead to this machine, or a part that is missing.
  static func read(_ json: JSONValue) throws(SettingsError) -> TaskListLoginSettings? {
    guard let secret = json["clientSecret"].flatMap(Secret.init) else { return nil }
    for name in ["oauthUrl", "clientId", "redirectUri"] where json[name]?.string == nil {
      throw SettingsError(at: .root, "\(name) is missing; clientSecret needs it")
    }
    return TaskListLoginSettings(
      oauth: try HTTPURL(setting: "oauthUrl", of: json), clientID: json["clientId"]?.string ?? "",
      clientSecret: secret, redirect: try LoopbackRedirect(json))
  }
}
