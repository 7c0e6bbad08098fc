package import Timing

/// What a sandbox begins with, and returns to when it is reset.
package struct SAPWorkflowConfiguration: Sendable {
  package var environment: SAPEnvironment
  package var switches: SAPSwitches
  package var users: [SAPUser]
  package var clients: [SAPClient]
  package var definitions: [SAPDefinition]
  /// Where the clock stands; nil follows the system's.
  package var clock: Timestamp?
  /// In the names of Neo's cookies.
  package var account = "p100000trial"
  /// The Domain of Neo's tenant cookie; real, so that a client can be seen to refuse it for another host.
  package var cookieDomain = ".hanatrial.ondemand.com"

  /// Two approvers, an administrator, an OAuth client with every scope, and the definition `ringi_purchase`.
  package init(_ environment: SAPEnvironment) {
    self.environment = environment
    switches = SAPSwitches(environment: environment)
    users = [
      SAPUser(name: "P1000001", password: "approve-1", role: .recipient),
      SAPUser(name: "P1000002", password: "approve-2", role: .recipient, groups: ["purchasing"]),
      SAPUser(name: "P1000009", password: "administer-9", role: .admin),
    ]
    clients = [SAPClient(id: SAPClient.standardID, secret: SAPClient.standardSecret, scopes: SAPScope.allCases)]
    definitions = [.purchase]
  }
}
