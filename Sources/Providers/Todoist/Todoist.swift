package import RingiKit

/// Todoist's API v1.
@Loop
package final class Todoist: Provider {
  package nonisolated static let name = "todoist"
  package nonisolated static let summary = "Todoist, API v1."
  package nonisolated static let settings = TodoistSettings.schema

  private let tasks: TodoistTasks
  private let parsed: TodoistSettings

  package init(settings: JSONValue, context: ProviderContext) throws {
    parsed = try TodoistSettings(settings, directory: context.directory)
    let token = TaskListToken(parsed.token, named: "token", context: context)
    let curl = CurlClient(tls: parsed.connection.tls, userAgent: "Ringi/\(Version.current)")
    let api = TaskListAPI(
      url: parsed.url, connection: parsed.connection, token: token, wire: TodoistWire(context),
      context: context, client: TodoistLimitClient(curl))
    tasks = TodoistTasks(api: api, closes: TodoistCloses(context.state), log: context.log)
  }

  package func register(on registrar: inout Registrar) {
    TodoistMethods(tasks: tasks).register(on: &registrar)
    registrar.tasks(from: TodoistTaskSource(tasks, settings: parsed))
  }
}
