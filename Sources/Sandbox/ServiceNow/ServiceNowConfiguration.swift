package import Timing

/// What a sandbox begins with, and returns to when it is reset.
package struct ServiceNowConfiguration: Sendable {
  package var switches = ServiceNowSwitches()
  package var users: [ServiceNowUser]
  package var clients: [ServiceNowClient]
  package var tables = ServiceNowTable.standard
  /// Where the clock stands; nil follows the system's.
  package var clock: Timestamp?
  /// The address that the instance gives itself in links, whatever it was asked by.
  package var ownURL = "https://acme.example"

  /// Two approvers, an administrator, a user for client credentials, and an OAuth client.
  package init() {
    users = [
      ServiceNowUser(name: "admin", fullName: "System Administrator", password: "administer-9", isAdmin: true),
      ServiceNowUser(name: "hanako", fullName: "Hanako Sato", password: "approve-1"),
      ServiceNowUser(name: "taro", fullName: "Taro Suzuki", password: "approve-2"),
      // As with single sign-on: without a password of its own.
      ServiceNowUser(name: "integration", fullName: "Integration", password: nil),
    ]
    clients = [ServiceNowClient(id: ServiceNowClient.standardID, secret: ServiceNowClient.standardSecret)]
  }
}
