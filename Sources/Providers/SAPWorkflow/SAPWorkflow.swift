package import RingiKit

/// SAP's workflow service: Cloud Platform Workflow on Neo and Cloud Foundry, and Build Process Automation.
@Loop
package final class SAPWorkflow: Provider {
  package nonisolated static let name = "sap-workflow"
  package nonisolated static let summary = "SAP Workflow on Neo and Cloud Foundry, and SAP Build Process Automation."

  private let api: SAPAPI
  private let parsed: SAPSettings
  private let checkup: ServiceCheckup

  package init(settings: JSONValue, context: ProviderContext) throws {
    parsed = try SAPSettings(settings, directory: context.directory)
    let api = SAPAPI(parsed, context: context)
    self.api = api
    checkup = ServiceCheckup(context, parsed.url, parsed.connection, credentials: parsed.login.names) {
      _ = try api.json(try await api.read([SAPList.tasks.path], [("$top", "1")]))
      return true
    }
  }

  package func register(on registrar: inout Registrar) {
    SAPWorkflowMethods(api: api).register(on: &registrar)
    SAPTaskMethods(api: api, user: parsed.user).register(on: &registrar)
    SAPMessageMethods(api: api).register(on: &registrar)
    registrar.tasks(from: SAPTaskSource(api, settings: parsed))
    registrar.credentials("check \(parsed.login.names) in its settings")
    registrar.checks(by: checkup)
  }

  package func stop() async { await api.settle() }
}
