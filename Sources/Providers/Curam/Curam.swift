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

  package init(settings: JSONValue, context: ProviderContext) throws {
    let parsed = try CuramSettings(settings, directory: context.directory)
    client = CuramClient(parsed, context: context)
    api = CuramAPI(parsed, client: client)
    watch = parsed.watched.isEmpty ? nil : CuramWatch(parsed.watched, api: api, context: context)
    tasks = parsed.tasks.map { [api] in CuramTaskSource($0, api: api) }
  }

  package func register(on registrar: inout Registrar) {
    CuramPersonMethods(api: api).register(on: &registrar)
    CuramResourceMethods(api: api).register(on: &registrar)
    if let watch { registrar.polls(watch) }
    if let tasks { registrar.tasks(from: tasks) }
    registrar.credentials("check user and password in its settings")
  }

  package func stop() async { await client.stop() }
}
