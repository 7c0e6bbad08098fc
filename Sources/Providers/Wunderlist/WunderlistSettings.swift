internal import RingiKit

/// What a plugins.d file says about one account.
struct WunderlistSettings {
  let url: HTTPURL
  let clientID: String
  let accessToken: Secret?
  let login: TaskListLoginSettings?
  /// The lists that are polled; all of them when there are none.
  let lists: Set<Int64>
  let window: DueWindow
  let connection: ConnectionSettings

  static let schema = Schema.object(
    properties: properties + TaskListLoginSettings.properties + DueWindow.properties + ConnectionSettings.properties,
    required: ["url", "clientId"]
  ).described("What an instance needs to reach the service.")

  private static let properties: [(name: String, schema: Schema)] = [
    ("url", .string("Where the API v1 begins: https://host/api/v1.", minLength: 1)),
    ("clientId", .string("The id of the registered client.", minLength: 1)),
    ("accessToken", .secret("An access token; without one, see ringi login.")),
    ("oauthUrl", .string("Where the login begins, for ringi login: https://host/oauth.", minLength: 1)),
    ("lists", .array("The ids of the lists to poll; all of them by default.", of: .integer(), minItems: 1)),
  ]

  /// - Throws: `SettingsError` for what the schema cannot say.
  init(_ json: JSONValue, directory: String) throws(SettingsError) {
    url = try HTTPURL(setting: "url", of: json)
    clientID = json["clientId"]?.string ?? ""
    accessToken = json["accessToken"].flatMap(Secret.init)
    login = try TaskListLoginSettings.read(json)
    lists = Set(json["lists"]?.array?.compactMap(\.int) ?? [])
    window = try DueWindow(json)
    connection = try ConnectionSettings(json, directory: directory)
  }
}
