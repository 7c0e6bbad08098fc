internal import RingiKit

/// What a plugins.d file says about one account.
struct TodoistSettings {
  let url: HTTPURL
  let token: Secret?
  let login: TaskListLoginSettings?
  let scope: String
  /// The projects that are polled; all of them when there are none.
  let projects: [String]
  let window: DueWindow
  let connection: ConnectionSettings

  static let schema = Schema.object(
    properties: properties + TaskListLoginSettings.properties + DueWindow.properties + ConnectionSettings.properties
  ).described("What an instance needs to reach the service.")

  private static let standardScope = "data:read_write,data:delete"

  private static let properties: [(name: String, schema: Schema)] = [
    (
      "url",
      .string("Where the API v1 begins.", minLength: 1).default("https://api.todoist.com/api/v1")
    ),
    ("token", .secret("A personal API token, or an OAuth token; without one, see ringi login.")),
    ("oauthUrl", .string("Where the login begins.", minLength: 1).default("https://todoist.com/oauth")),
    ("clientId", .string("The registered client's id, for ringi login.", minLength: 1)),
    (
      "scope",
      .string("What a login may do, with commas in between.", minLength: 1).default(JSONValue(standardScope))
    ),
    (
      "projects",
      .array("The ids of the projects to poll; all of them by default.", of: .string(minLength: 1), minItems: 1)
    ),
  ]

  /// - Throws: `SettingsError` for what the schema cannot say.
  init(_ json: JSONValue, directory: String) throws(SettingsError) {
    url = try HTTPURL(setting: "url", of: json)
    token = json["token"].flatMap(Secret.init)
    login = try TaskListLoginSettings.read(json)
    scope = json["scope"]?.string ?? Self.standardScope
    projects = json["projects"]?.array?.compactMap(\.string) ?? []
    window = try DueWindow(json)
    connection = try ConnectionSettings(json, directory: directory)
  }
}
