package import RingiKit

/// Wunderlist's API v1 and the servers that speak it.
@Loop
package final class Wunderlist: Provider {
  package nonisolated static let name = "wunderlist"
  package nonisolated static let summary = "Servers that speak the API v1 of Wunderlist."
  package nonisolated static let settings = WunderlistSettings.schema

  private let api: TaskListAPI
  private let parsed: WunderlistSettings
  private let login: TaskListLogin?
  private let checkup: ServiceCheckup

  package init(settings: JSONValue, context: ProviderContext) throws {
    parsed = try WunderlistSettings(settings, directory: context.directory)
    let advice =
      parsed.login == nil
      ? "put accessToken into the instance's settings, and check clientId" : "run `ringi login \(context.instance)`"
    let token = TaskListToken(parsed.accessToken, advice: advice, context: context)
    let curl = parsed.connection.client()
    let wire = WunderlistWire(
      instance: context.instance, clientID: parsed.clientID, advice: advice, clock: context.clock)
    let api = TaskListAPI(
      url: parsed.url, connection: parsed.connection, token: token, wire: wire, context: context, client: curl)
    self.api = api
    checkup = ServiceCheckup(
      context, parsed.url, parsed.connection, credentials: "clientId and accessToken",
      hasBrowserLogin: parsed.login != nil
    ) {
      _ = try await api.read(["user"])
      return true
    }
    login = parsed.login.map { [timeouts = parsed.connection.timeouts] settings in
      TaskListLogin(settings, .wunderlist, token: token, context: context, timeouts: timeouts, client: curl) {
        try await api.read(["user"])["name"]?.string
      }
    }
  }

  package func register(on registrar: inout Registrar) {
    let tasks = WunderlistTasks(api: api)
    let source = WunderlistTaskSource(tasks, settings: parsed)
    WunderlistMethods(tasks: tasks) { source.noteWrite() }.register(on: &registrar)
    registrar.tasks(from: source)
    if let login {
      registrar.login(through: login)
    } else {
      registrar.credentials(
        "put accessToken into its settings, or clientSecret, oauthUrl and redirectUri to log in with a browser")
    }
    registrar.checks(by: checkup)
  }
}
