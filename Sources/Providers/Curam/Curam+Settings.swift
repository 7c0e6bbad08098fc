package import RingiKit

extension Curam {
  package nonisolated static let settings = Schema.object(
    properties: properties + ConnectionSettings.properties, required: ["url", "user", "password"]
  ).described("What an instance needs to reach the service.")

  private nonisolated static let properties: [(name: String, schema: Schema)] = [
    ("url", .string("The address to which /v1/… is appended; it mostly ends in /Rest.", minLength: 1)),
    ("user", .string("Whom to log in as.", minLength: 1)),
    ("password", .secret("The user's password.")),
    (
      "loginFields",
      .map("Further fields of the login's form, such as user_type for external users.", of: .string())
        .default(.emptyObject)
    ),
    (
      "referer",
      .string("The Referer of every request; any that begins with curam:// is taken everywhere.", minLength: 1)
        .default("curam://ringi")
    ),
    (
      "csrf",
      .string("Whether the site wants CSRF tokens; auto finds out.", enum: CuramSettings.CSRF.allCases.map(\.rawValue))
        .default("auto")
    ),
    (
      "authCookies",
      .array("The cookies one of which a good login sets.", of: .string(minLength: 1), minItems: 1)
        .default(["LtpaToken2", "SPMLtpa2Cookie", "_WL_AUTHCOOKIE_JSESSIONID"])
    ),
    (
      "logout",
      .string("Where the session is ended; the other one is tried when there is nothing.", enum: CuramSettings.logouts)
        .default(JSONValue(CuramSettings.logouts[0]))
    ),
    ("language", .string("The language of texts and messages, as in Accept-Language.", minLength: 1).default("en")),
    (
      "watch",
      .array(
        "Resources that each poll reads, for saying what has changed.",
        of: .object(["path": CuramPath.schema, "query": CuramPath.query], required: ["path"]),
        maxItems: CuramWatch.limit
      ).default(.emptyArray)
    ),
    ("tasks", CuramSettings.Tasks.schema),
  ]
}
