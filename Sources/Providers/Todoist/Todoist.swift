package import RingiKit

/// Todoist's API v1.
@Loop
package final class Todoist: Provider {
  package nonisolated static let name = "todoist"
  package nonisolated static let summary = "Todoist, API v1."
  package nonisolated static let settings = TodoistSettings.schema

  private let tasks: TodoistTasks
  private let parsed: TodoistSettings
  private let login: TaskListLogin?
  private let checkup: ServiceCheckup

  package init(settings: JSONValue, context: ProviderContext) throws {
    parsed = try TodoistSettings(settings, directory: context.directory)
    let advice =
      parsed.login == nil ? "put token into the instance's settings" : "run `ringi login \(context.instance)`"
    let token = TaskListToken(parsed.token, advice: advice, context: context)
    let curl = parsed.connection.client()
    let api = TaskListAPI(
      url: parsed.url, connection: parsed.connection, token: token, wire: TodoistWire(context, advice: advice),
      context: context, client: LimitClient(curl, clock: context.clock) { TodoistWire.wait($0) })
    login = parsed.login.map { [scope = parsed.scope, timeouts = parsed.connection.timeouts] settings in
      TaskListLogin(
        settings, .todoist(scope: scope), token: token, context: context, timeouts: timeouts, client: curl
      ) {
        try await api.read(["user"])["full_name"]?.string
      }
    }
    checkup = ServiceCheckup(
      context, parsed.url, parsed.connection, credentials: "token", hasBrowserLogin: parsed.login != nil
    ) {
      _ = try await api.read(["user"])
      return true
    }
    tasks = TodoistTasks(api: api, closes: TodoistCloses(context.state), log: context.log)
  }

  package func register(on registrar: inout Registrar) {
    TodoistMethods(tasks: tasks).register(on: &registrar)
    registrar.tasks(from: TodoistTaskSource(tasks, settings: parsed))
    if let login {
      registrar.login(through: login)
    } else {
      registrar.credentials(
        "put token into its settings, or clientId, clientSecret and redirectUri to log in with a browser")
    }
    registrar.checks(by: checkup)
  }
}
