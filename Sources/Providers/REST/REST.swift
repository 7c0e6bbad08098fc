package import RingiKit

/// Any service with an HTTP interface, declared in the settings.
@Loop
package final class REST: Provider {
  package nonisolated static let name = "rest"
  package nonisolated static let summary =
    "Any REST API, declared in the settings: its operations as methods, its records as tasks."

  private let api: RESTAPI
  private let checkup: ServiceCheckup

  package init(settings: JSONValue, context: ProviderContext) throws {
    let parsed = try RESTSettings(settings, directory: context.directory)
    let api = RESTAPI(parsed, context: context)
    self.api = api
    checkup = ServiceCheckup(context, parsed.url, parsed.connection, credentials: parsed.auth.names ?? "auth") {
      try await RESTProbe(api: api).read()
    }
  }

  package func register(on registrar: inout Registrar) {
    RESTMethods(api: api).register(on: &registrar)
    if let names = api.settings.auth.names { registrar.credentials("check \(names) in its settings") }
    if let tasks = api.settings.tasks { registrar.tasks(from: RESTTaskSource(api, tasks)) }
    registrar.checks(by: checkup)
  }

  package func stop() async { await api.settle() }
}
