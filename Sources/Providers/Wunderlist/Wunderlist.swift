package import RingiKit

/// Wunderlist's API v1 and the servers that speak it.
@Loop
package final class Wunderlist: Provider {
  package nonisolated static let name = "wunderlist"
  package nonisolated static let summary = "Servers that speak the API v1 of Wunderlist."
  package nonisolated static let settings = WunderlistSettings.schema

  private let api: TaskListAPI
  private let parsed: WunderlistSettings

  package init(settings: JSONValue, context: ProviderContext) throws {
    parsed = try WunderlistSettings(settings, directory: context.directory)
    let token = TaskListToken(parsed.accessToken, named: "accessToken", context: context)
    let curl = CurlClient(tls: parsed.connection.tls, userAgent: "Ringi/\(Version.current)")
    api = TaskListAPI(
      url: parsed.url, connection: parsed.connection, token: token,
      wire: WunderlistWire(instance: context.instance, clientID: parsed.clientID, clock: context.clock),
      context: context, client: curl)
  }

  package func register(on registrar: inout Registrar) {
    let tasks = WunderlistTasks(api: api)
    let source = WunderlistTaskSource(tasks, settings: parsed)
    WunderlistMethods(tasks: tasks) { source.noteWrite() }.register(on: &registrar)
    registrar.tasks(from: source)
  }
}
