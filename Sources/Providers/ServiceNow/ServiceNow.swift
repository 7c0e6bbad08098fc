package import RingiKit

/// A ServiceNow instance: its approvals as tasks, its tables, and its web pages.
@Loop
package final class ServiceNow: Provider {
  package nonisolated static let name = "servicenow"
  package nonisolated static let summary = "ServiceNow: approvals, any table through the Table API, and web pages."

  private let api: ServiceNowAPI
  private let approvals: ServiceNowApprovals
  private let login: ServiceNowBrowserLogin?
  private let credentials: String
  private let web: NowWeb
  private let checkup: ServiceCheckup

  package init(settings: JSONValue, context: ProviderContext) throws {
    let parsed = try ServiceNowSettings(settings, directory: context.directory)
    let api = ServiceNowAPI(parsed, context: context)
    self.api = api
    checkup = ServiceCheckup(
      context, parsed.url, parsed.connection, credentials: parsed.kind.names,
      hasBrowserLogin: parsed.kind == .authorizationCode
    ) {
      let query = [("sysparm_limit", "1"), ("sysparm_fields", "sys_id")]
      _ = try api.result(try await api.read([ServiceNowApproval.table], query))
      return true
    }
    approvals = ServiceNowApprovals(api, settings: parsed)
    login = ServiceNowBrowserLogin(parsed, approvals, context: context)
    credentials = parsed.kind.credentials
    web = NowWeb(
      parsed, tokens: api.tokens?.source, client: CookieHidingClient(api.service, hide: context.hide),
      failure: api.failure, context: context)
    api.onWrite = { [weak web] in web?.noteChange() }
  }

  package func register(on registrar: inout Registrar) {
    ServiceNowTableMethods(api: api).register(on: &registrar)
    ServiceNowApprovalMethods(approvals: approvals).register(on: &registrar)
    NowWebMethods(web: web).register(on: &registrar)
    registrar.tasks(from: ServiceNowTaskSource(approvals))
    if let login { registrar.login(through: login) } else { registrar.credentials(credentials) }
    registrar.checks(by: checkup)
  }

  package func stop() async {
    web.stop()
    await api.settle()
  }
}
