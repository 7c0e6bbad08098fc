package import RingiKit

extension SAPWorkflow {
  package nonisolated static let settings = Schema.object(
    properties: properties + ConnectionSettings.properties, required: ["environment", "url"]
  ).described("What an instance needs to reach the service.")

  private nonisolated static let properties: [(name: String, schema: Schema)] = [
    ("environment", .string("The service's generation.", enum: SAPSettings.Environment.allCases.map(\.rawValue))),
    ("url", .string("The address to which /v1/… is appended; it mostly ends in /workflow-service/rest.", minLength: 1)),
    ("user", .string("Whom to log in as on neo, and everywhere who claims tasks.", minLength: 1)),
    ("password", .secret("The user's password, on neo.")),
    ("uaaUrl", .string("The url in the uaa part of the service key, on cf and sbpa.", minLength: 1)),
    ("clientId", .string("The clientid of the service key, on cf and sbpa.", minLength: 1)),
    ("clientSecret", .secret("The clientsecret of the service key, on cf and sbpa.")),
    ("refreshToken", .secret("A user's refresh token, so that decisions are the user's and not the client's.")),
    (
      "tasks",
      .object(
        properties: SAPFilters.polled.properties)
    ),
    ("approve", verdict("approve")),
    ("reject", verdict("reject")),
    ("comment", .string("The context member that takes a comment; null sends none.").nullable.default("comment")),
    ("language", .string("The language of subjects, as in Accept-Language.", minLength: 1)),
  ]

  private nonisolated static func verdict(_ what: String) -> Schema {
    .object(
      "What to send to \(what) a task.",
      [
        "decision": .string("The id of the form's button; null sends none.").nullable,
        "context": .object([:], isOpen: true).described("The context members to set."),
      ])
  }
}
