package import RingiKit

extension REST {
  package nonisolated static let settings = Schema.object(
    properties: members.map { ($0.key, $0.value) } + ConnectionSettings.properties, required: ["url", "resources"]
  ).described("What the service is like.")

  private nonisolated static let members: KeyValuePairs<String, Schema> =
    [
      "url": .string(
        "The address that every path is appended to. Only oauth's token endpoint may be on another server.",
        minLength: 1),
      "auth": auth,
      "headers": .map("Headers of every request; secrets belong into auth.", of: .string()),
      "names": .string(
        "How methods write the names that the service writes in snake_case.", enum: RESTNames.allCases.map(\.rawValue)
      )
      .default(JSONValue(RESTNames.asIs.rawValue)),
      "errors": errors,
      "resources": .map(
        "Groups of operations by their names.",
        of: .object(
          [
            "path": .string("What the paths of its operations begin with, such as /users."),
            "operations": .map("What can be asked; RESOURCE.OPERATION is the method.", of: operation),
          ], required: ["operations"])),
      "tasks": tasks,
    ]

  private nonisolated static let open = Schema.object([:], isOpen: true)

  private nonisolated static func pointer(_ what: String) -> Schema {
    .string("JSON pointer to \(what).")
  }

  private nonisolated static let auth = Schema.object(
    "How to show who we are; each type takes some of the other members.",
    [
      "type": .string("The kind of login.", enum: RESTAuth.types.map(\.key)),
      "header": .string("The header that carries the token.", minLength: 1),
      "scheme": .string("The word before the token in the header.", minLength: 1),
      "token": .secret("The token, of header and bearer."),
      "user": .string("Of basic.", minLength: 1),
      "password": .secret("Of basic."),
      "tokenUrl": .string("The token endpoint, of oauth.", minLength: 1),
      "clientId": .string("Of oauth.", minLength: 1),
      "clientSecret": .secret("Of oauth."),
      "scope": .string("The scopes to ask for, of oauth.", minLength: 1),
      "credentials": .string("Where oauth sends the client's id and secret.", enum: ["basic", "body"]),
      "path": .string("Where to send the login, of login and cookie."),
      "body": .string("The form of the login.", enum: ["json", "form"]),
      "fields": .map("What the login sends, by name.", of: .string()),
      "secrets": .map("What else it sends, by name.", of: .secret()),
      "cookie": .string("The cookie that a good login sets and a failed one does not, of cookie.", minLength: 1),
      "tokenAt": pointer("the token in the answer of login"),
      "expiresAt": pointer("the time at which it ends"),
    ], required: ["type"])

  private nonisolated static let errors = Schema.object(
    "How the service says that something went wrong.",
    [
      "code": pointer("the code of a refusal"),
      "message": pointer("its text"),
      "details": pointer("what it says of single fields"),
      "success": .object(
        "A member that tells success from failure in answers of status 200.",
        [
          "at": pointer("it"),
          "is": .array("Its values for success.", of: .anyOf([.string(), .integer(), .boolean()]), minItems: 1),
        ], required: ["at", "is"]),
      "kinds": .map(
        "The agent's kinds of error, by the service's code or status.",
        of: .string(enum: RESTErrors.Kind.allCases.map(\.rawValue))),
    ])

  private nonisolated static let operation = Schema.object(
    [
      "summary": .string("One sentence.", minLength: 1),
      "method": .string("The HTTP method.", enum: RESTOperation.methods.map(\.rawValue)),
      "path": .string("What follows the resource's path, such as /{id}; {NAME} is a param."),
      "params": .map("The params by name: JSON Schemas, which may also have in and wire.", of: open),
      "required": .array("The params that must be there; those of the path always must.", of: .string()),
      "body": .string("How params of the body are sent.", enum: RESTOperation.Body.allCases.map(\.rawValue)),
      "result": pointer("the result in the answer"),
      "returns": open.described("The JSON Schema of the result, or of a row."),
      "reads": .boolean("Whether a POST, PUT, PATCH or DELETE changes nothing."),
      "paging": paging,
    ], required: ["method"])

  private nonisolated static let paging = Schema.object(
    "How a list goes on after its first page.",
    [
      "by": .string("The kind of paging.", enum: RESTPaging.styles),
      "param": .string("The query param of the cursor, page or offset.", minLength: 1),
      "next": pointer("the cursor, or the next page's address instead of a Link header"),
      "first": .integer("The number of the first page.", 0...1_000_000),
      "sizeParam": .string("The query param of the page's size.", minLength: 1),
      "size": .integer("The rows of a page.", 1...100_000),
      "id": pointer("what tells rows apart, in a row"),
      "total": .string("JSON pointer to the number of all rows, or the header that has it.", minLength: 1),
      "maxPages": .integer("The most pages to read.", 1...100_000),
    ], required: ["by"])

  private nonisolated static let tasks = Schema.object(
    properties: [
      ("list", call("lists the tasks")), ("get", call("reads one task, or lists those among which it is")),
      ("approve", call("approves one")), ("reject", call("rejects one")), ("complete", call("completes one")),
      ("id", pointer("the id in a record").default("/id")),
      ("title", pointer("what a person reads in a list").default("/title")),
      (
        "status",
        .object(
          properties: [("at", pointer("the state in a record"))]
            + RESTTaskFields.words.map { ($0.key, words("The service's words for \($0.key).")) },
          required: ["at", "ready"])
      ),
      ("requester", pointer("who asks for the decision")), ("assignees", pointer("who may decide")),
      (
        "priority",
        .object(
          properties: [("at", pointer("the priority in a record"))]
            + TaskItem.Priority.allCases.map { ($0.rawValue, words("The service's words for \($0.rawValue).")) },
          required: ["at"])
      ),
      ("createdAt", pointer("when it came to be")), ("dueAt", pointer("when it should be decided")),
      ("url", pointer("where a browser shows it")), ("decidedBy", pointer("who decided it")),
      (
        "decisive",
        .array(
          "JSON pointers to what a decision rests on, beyond title, requester, priority and due time.", of: .string())
      ),
    ], required: ["list", "get", "status"]
  ).described("How records are tasks; JSON pointers are into a record, with the service's own names.")

  private nonisolated static func words(_ description: String) -> Schema {
    .array(description, of: .anyOf([.string(), .integer(), .boolean()]))
  }

  private nonisolated static func call(_ what: String) -> Schema {
    .object(
      "The operation that \(what).",
      [
        "operation": .string("RESOURCE.OPERATION.", minLength: 1),
        "params": open.described("Params to give."),
        "id": .string("The param that takes the task's id; id unless set.", minLength: 1),
        "comment": .string("The param that takes a person's comment.", minLength: 1),
        "decision": .string("The param that takes the service's own name of the decision.", minLength: 1),
        "from": .map("Params that are taken from the record: JSON pointers by param.", of: .string()),
      ], required: ["operation"])
  }
}
