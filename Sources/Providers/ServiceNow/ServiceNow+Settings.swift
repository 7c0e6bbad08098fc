package import RingiKit

extension ServiceNow {
  package nonisolated static let settings = Schema.object(
    properties: members.map { ($0.key, $0.value) } + [LoopbackRedirect.property] + ConnectionSettings.properties,
    required: ["url", "login"]
  ).described("What an instance needs to reach a ServiceNow instance.")

  private nonisolated static let members: KeyValuePairs<String, Schema> =
    [
      "url": .string("The address of the ServiceNow instance, such as https://acme.service-now.com.", minLength: 1),
      "login": .string("How to log in.", enum: ServiceNowSettings.LoginKind.allCases.map(\.rawValue)),
      "user": .string("Whom to log in as, with basic and password.", minLength: 1),
      "password": .secret("The user's password, with basic and password."),
      "clientId": .string("The client id of the OAuth application registry, with all but basic.", minLength: 1),
      "clientSecret": .secret("The client secret, with all but basic; a public client has none."),
      "scope": .string("The OAuth scopes to ask for, with all but basic and refresh-token.", minLength: 1),
      "refreshToken": .secret("A user's refresh token, with refresh-token; without it the one that a login has kept."),
      "delegators": .array(
        "The sys_ids of users who have delegated their approvals to this login.", of: .string(minLength: 1),
        maxItems: 50),
      "rejectionComment": .string("The comment of a rejection that comes without one.", minLength: 1)
        .default("Rejected."),
    ]
}
