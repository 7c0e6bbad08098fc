internal import RingiKit

/// The params and the result that all lists have in common.
enum SAPLists {
  private static let most: Int64 = 50_000

  static func params(_ filters: SAPFilters) -> Schema {
    .object(
      properties: filters.properties + [
        ("expand", .boolean("Whether rows come with their custom attributes.").default(false)),
        ("limit", .integer("The most rows to give.", 1...most).default(JSONValue(most))),
      ])
  }

  static func result(_ name: String) -> Schema {
    .object(
      properties: [
        (name, .array("As the service has them, oldest first.", of: .object([:], isOpen: true))),
        ("complete", .boolean("Whether these are all.")),
      ], required: [name, "complete"])
  }

  @Loop
  static func rows(_ list: SAPList, _ name: String, _ api: SAPAPI, _ params: JSONValue) async throws -> JSONValue {
    try list.filters.check(params)
    let expand = params["expand"]?.bool == true ? [("$expand", "attributes")] : []
    let limit = Int(params["limit"]?.int ?? most)
    let found = try await list.rows(api, list.filters.pairs(params) + expand, limit: limit)
    let rows = JSONValue(array: found.rows.map(\.json))
    return JSONValue(object: [(name, rows), ("complete", JSONValue(found.isComplete))])
  }
}
