package import RingiKit

/// Cúram (Merative Social Program Management): persons, any other resource of an installation, and what changes there.
@Loop
package final class Curam: Provider {
  package nonisolated static let name = "curam"
  package nonisolated static let summary = "Cúram (Merative Social Program Management) over its REST API."

  private let client: CuramClient
  private let api: CuramAPI
  private let watch: CuramWatch?
  private let tasks: CuramTaskSource?
  private let checkup: ServiceCheckup

  package init(settings: JSONValue, context: ProviderContext) throws {
    let parsed = try CuramSettings(settings, directory: context.directory)
    client = CuramClient(parsed, context: context)
    let api = CuramAPI(parsed, client: client)
    self.api = api
    checkup = ServiceCheckup(context, parsed.url, parsed.connection, credentials: "user and password") {
      do {
        _ = try await api.read(try CuramPath("ua", "system_configurations"))
      } catch let error as RPCError where error.kind == "not-found" {
        // Not every installation has it; it has let us in to say so.
      }
      return true
    }
    watch = parsed.watched.isEmpty ? nil : CuramWatch(parsed.watched, api: api, context: context)
    tasks = parsed.tasks.map { [api] in CuramTaskSource($0, api: api) }
  }

  package func register(on registrar: inout Registrar) {
    CuramPersonMethods(api: api).register(on: &registrar)
    CuramResourceMethods(api: api).register(on: &registrar)
    if let watch { registrar.polls(watch) }
    if let tasks { registrar.tasks(from: tasks) }
    registrar.credentials("check user and password in its settings")
    registrar.checks(by: checkup)
  }

  package func stop() async { await client.stop() }
}
