import RingiKit

/// A provider with settings of many kinds, and no backend.
final class ShopProvider: Provider {
  nonisolated static let name = "shop"
  nonisolated static let summary = "A shop."
  nonisolated static let settings = Schema.object(
    [
      "url": .string("Where it is.", minLength: 1),
      "password": .secret("What it is opened with."),
      "limit": .integer("The most orders.", 1...100).default(10),
      "accounts": .array(of: .object(["token": .secret()])),
    ], required: ["url"])

  init(settings: JSONValue, context: ProviderContext) throws {
    if settings["url"] == "shut" { throw SettingsError(at: JSONPointer(tokens: ["url"]), "the shop is shut") }
  }

  func register(on registrar: inout Registrar) {
    registrar.method(
      "order.list", "Lists the orders.", params: .object([:]), result: .object(["orders": .array(of: .any)])
    ) { (_: JSONValue, _) in ["orders": []] }
  }
}
