internal import RingiKit

/// The methods `INSTANCE.table.…`.
@Loop
struct ServiceNowTableMethods {
  let api: ServiceNowAPI

  private static let record = Schema.object([:], isOpen: true).described("The record as the service has it.")
  private static let table = Schema.string("The table's name, such as incident.", minLength: 1, maxLength: 80)
  private static let id = Schema.string("The record's sys_id.", minLength: 1, maxLength: 64)
  private static let values = Schema.object([:], isOpen: true).described(
    "The fields to write: texts, numbers, booleans, or null for empty.")
  private static let fields = Schema.array(
    "The fields to give, dots allowed as in caller_id.name; all unless given.", of: .string(minLength: 1), minItems: 1,
    maxItems: 500)
  private static let displayValue = Schema.string(
    "Values (false), the texts that the user sees (true), or both (all).", enum: ["false", "true", "all"]
  ).default("false")
  private static let written = Schema.object(
    [
      "record": record,
      "differing": .array(
        "The fields that the record has otherwise than they were sent, as when the login may not write them.",
        of: .string()),
    ], required: ["record", "differing"])

  func register(on registrar: inout Registrar) {
    registrar.method(
      "table.list", "Lists a table's records, in the order of the query and then of their sys_id.",
      params: .object(
        [
          "table": Self.table,
          "query": .string("An encoded query, such as active=true^ORDERBYDESCopened_at.", minLength: 1),
          "fields": Self.fields, "displayValue": Self.displayValue,
          "limit": .integer("The most records to give.", 1...50_000).default(1000),
        ], required: ["table"]),
      result: .object(
        ["records": .array(of: Self.record), "complete": .boolean("Whether these are all.")],
        required: ["records", "complete"])
    ) { params, _ in try await list(params) }
    registrar.method(
      "table.get", "Reads a record.",
      params: .object(
        ["table": Self.table, "id": Self.id, "fields": Self.fields, "displayValue": Self.displayValue],
        required: ["table", "id"]), result: Self.record
    ) { params, _ in try await get(params) }
    registerChanges(on: &registrar)
  }

  private func registerChanges(on registrar: inout Registrar) {
    registrar.method(
      "table.create", "Makes a record.",
      params: .object(["table": Self.table, "values": Self.values], required: ["table", "values"]),
      result: Self.written, isMutation: true
    ) { params, _ in try await create(params) }
    registrar.method(
      "table.update", "Changes a record's fields.",
      params: .object(
        ["table": Self.table, "id": Self.id, "values": Self.values], required: ["table", "id", "values"]),
      result: Self.written, isMutation: true
    ) { params, _ in try await update(params) }
    registrar.method(
      "table.delete", "Deletes a record.",
      params: .object(["table": Self.table, "id": Self.id], required: ["table", "id"]),
      result: .object(["deleted": .boolean()], required: ["deleted"]), isMutation: true
    ) { params, _ in try await delete(params) }
  }

  // MARK: Reading

  private func list(_ params: JSONValue) async throws -> JSONValue {
    let query = [("sysparm_query", ServiceNowQuery.ordered(params["query"]?.string ?? ""))] + shown(params)
    let found = try await ServiceNowList(api: api).rows(
      try table(params), query, limit: Int(params["limit"]?.int ?? 1000))
    return ["records": JSONValue(array: found.rows), "complete": JSONValue(found.isComplete)]
  }

  private func get(_ params: JSONValue) async throws -> JSONValue {
    let (table, id) = (try table(params), id(params))
    guard let record = try await api.record(table, id, shown(params)) else { throw unknownRecord(table, id) }
    return record
  }

  /// What is to be shown of records; their sys_id always is, by which they are told apart.
  private func shown(_ params: JSONValue) -> [(String, String)] {
    var query = [("sysparm_display_value", params["displayValue"]?.string ?? "false")]
    if let fields = params["fields"]?.array?.compactMap(\.string) {
      let all = fields.contains("sys_id") ? fields : ["sys_id"] + fields
      query.append(("sysparm_fields", all.joined(separator: ",")))
    }
    return query
  }

  // MARK: Writing

  private func create(_ params: JSONValue) async throws -> JSONValue {
    let (table, values) = (try table(params), try ServiceNowValues(params["values"]))
    do {
      let response = try await api.write(.post, [table], [], values.body)
      return written(try api.result(ofWrite: response), values)
    } catch let unclear as UnclearOutcome {
      throw RPCError.outcomeUnknown(
        unclear, at: api.instance, "look with \(api.instance).table.list before making another")
    }
  }

  private func update(_ params: JSONValue) async throws -> JSONValue {
    let (table, id, values) = (try table(params), id(params), try ServiceNowValues(params["values"]))
    do {
      let response = try await api.write(.patch, [table, id], [], values.body)
      return written(try api.result(ofWrite: response, to: id), values)
    } catch let unclear as UnclearOutcome {
      var seen: JSONValue?
      if values.canShow {
        seen = try await ReadBack.settle(clock: api.clock) { () -> JSONValue? in
          guard let now = try await api.record(table, id), values.differing(from: now).isEmpty else { return nil }
          return now
        }
      }
      guard let seen else {
        throw RPCError.outcomeUnknown(unclear, at: api.instance, "read the record \(id) again later")
      }
      return written(seen, values)
    }
  }

  /// A record that can't be seen may be there all the same, so it is looked at before.
  private func delete(_ params: JSONValue) async throws -> JSONValue {
    let (table, id) = (try table(params), id(params))
    guard try await api.record(table, id, [("sysparm_fields", "sys_id")]) != nil else { throw unknownRecord(table, id) }
    do {
      _ = try await api.write(.delete, [table, id])
    } catch let error as RPCError where error.kind == "not-found" {
      // Sent again after a lost answer, or deleted by somebody else in that moment.
    } catch let unclear as UnclearOutcome {
      let isGone = try await ReadBack.settle(clock: api.clock) { try await api.record(table, id) == nil ? true : nil }
      if isGone == nil { throw RPCError.outcomeUnknown(unclear, at: api.instance, "read the record \(id) again later") }
    }
    return ["deleted": true]
  }

  private func written(_ record: JSONValue, _ values: ServiceNowValues) -> JSONValue {
    ["record": record, "differing": JSONValue(array: values.differing(from: record).map { JSONValue($0) })]
  }

  // MARK: Common

  private func table(_ params: JSONValue) throws(RPCError) -> String {
    let name = params["table"]?.string ?? ""
    guard name.utf8.allSatisfy({ $0 == 0x5F || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }) else {
      throw .invalidParams("table got \(name.debugDescription), but takes a name of lower-case letters, digits and _.")
    }
    return name
  }

  private func id(_ params: JSONValue) -> String { params["id"]?.string ?? "" }

  private func unknownRecord(_ table: String, _ id: String) -> RPCError {
    .notFound(
      "\(api.instance): there is no record \(id.debugDescription) in \(table), or this login may not see it.")
  }
}
