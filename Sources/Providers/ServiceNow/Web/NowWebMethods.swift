internal import RingiKit

/// The methods `INSTANCE.web.…`.
@Loop
struct NowWebMethods {
  let web: NowWeb

  private static let address = Schema.string(
    "The page's address, relative to the instance or absolute.", minLength: 1, maxLength: 8192)

  func register(on registrar: inout Registrar) {
    registrar.method(
      "web.open", "Opens a page of the instance in the login's session, at an address of this machine for any browser.",
      params: .object(
        [
          "url": Self.address, "theme": NowWebTheme.schema,
          "lifetime": .duration("How long the page lives without being used, 12h at most.").default("30m"),
        ], required: ["url"]),
      result: .object(
        [
          "page": .string("The page's name, for web.close and in events."),
          "url": .string("The address, a secret: whoever has it has the page."),
          "expiresAt": .string("When the page ends unless it is used."),
        ], required: ["page", "url", "expiresAt"])
    ) { params, _ in try open(params) }
    registrar.method(
      "web.close", "Closes a page, or all of them.",
      params: .object(["page": .string("The page; all without it.", minLength: 1)]),
      result: .object(["closed": .array("The pages that were open.", of: .string())], required: ["closed"])
    ) { params, _ in try close(params) }
    registrar.method(
      "web.preload", "Fetches pages with what they link, so that they are at hand for five minutes.",
      params: .object(["urls": .array(of: Self.address, minItems: 1, maxItems: 32)], required: ["urls"]),
      result: .object(
        [
          "pages": .array(
            of: .object(
              [
                "url": .string("The page's address."), "kept": .boolean("Whether it is at hand."),
                "linked": .integer("How many of its style sheets, scripts and images are."),
                "reason": .string("Why it is not."),
              ], required: ["url", "kept", "linked"]))
        ], required: ["pages"])
    ) { params, _ in try await preload(params) }
  }

  private func open(_ params: JSONValue) throws -> JSONValue {
    let text = params["lifetime"]?.string
    let lifetime = text.flatMap { try? DurationText.parse($0) }
    if let text, lifetime.map({ $0 < .seconds(1) || $0 > NowWebPages.longest }) ?? true {
      throw RPCError.invalidParams("lifetime got \(text.debugDescription), but takes 1s to 12h.")
    }
    let page = try web.open(params["url"]?.string ?? "", theme: params["theme"], lifetime: lifetime)
    return ["page": JSONValue(page.id), "url": JSONValue(page.url), "expiresAt": JSONValue(page.expires.rfc3339)]
  }

  private func close(_ params: JSONValue) throws -> JSONValue {
    let id = params["page"]?.string
    let closed = web.close(id)
    if let id, closed.isEmpty {
      throw RPCError.notFound("\(web.instance): no page \(id.debugDescription) is open; it was closed, or has expired.")
    }
    return ["closed": JSONValue(array: closed.map { JSONValue($0) })]
  }

  private func preload(_ params: JSONValue) async throws -> JSONValue {
    let pages = try await web.preload(params["urls"]?.array?.compactMap(\.string) ?? [])
    return [
      "pages": JSONValue(
        array: pages.map { url, result in
          .known([
            ("url", JSONValue(url.text)), ("kept", JSONValue(result.isKept)), ("linked", JSONValue(result.linked)),
            ("reason", result.reason.map { JSONValue($0) }),
          ])
        })
    ]
  }
}
