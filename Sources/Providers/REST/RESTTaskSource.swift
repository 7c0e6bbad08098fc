internal import RingiKit

/// The service's records as the agent's tasks.
@Loop
final class RESTTaskSource: TaskSource {
  private let api: RESTAPI
  private let mapping: RESTTaskMapping
  private let actions: [TaskItem.Action]
  private var fields: RESTTaskFields { mapping.fields }

  /// How often a decision is sent that the service refuses because the record's version has moved.
  private static let mostAttempts = 3

  init(_ api: RESTAPI, _ mapping: RESTTaskMapping) {
    self.api = api
    self.mapping = mapping
    actions = Decision.Kind.allCases.filter { mapping.decisions[$0] != nil }.compactMap {
      TaskItem.Action(rawValue: $0.rawValue)
    }
  }

  // MARK: Reading

  func tasks() async throws -> TaskSnapshot {
    let found = try await rows(of: mapping.list, try mapping.list.operation.checked(mapping.list.params))
    var items: [TaskSnapshot.Item] = []
    var keys: Set<String> = []
    for row in found.rows {
      let key = try key(row)
      guard try state(row).status.isOpen, keys.insert(key).inserted else { continue }
      let id = TaskItem.ID(provider: api.instance, key: key)
      items.append(
        TaskSnapshot.Item(id: id, fingerprint: Fingerprint.of(row.utf8)) { [self] in try item(id, row) })
    }
    return TaskSnapshot(items: items, isComplete: found.isComplete)
  }

  func task(_ id: TaskItem.ID) async throws -> TaskItem? {
    guard let record = try await record(id) else { return nil }
    if let fault = fault(of: record, as: id) { throw fault }
    return try item(id, record)
  }

  func context(of id: TaskItem.ID) async throws -> JSONValue? { nil }

  private func rows(of call: RESTTaskMapping.Call, _ params: JSONValue) async throws -> RESTList.Rows {
    try await RESTList(api: api, operation: call.operation).rows(params)
  }

  /// What the service has under an id; nil when it does not know it.
  private func record(_ id: TaskItem.ID) async throws -> JSONValue? {
    let get = mapping.get
    guard get.operation.paging == nil else {
      let found = try await rows(of: get, try get.params(key: id.key))
      if let row = found.rows.first(where: { fields.key($0) == id.key }) { return row }
      if found.isComplete { return nil }
      throw api.failure.malformed("the list ends before the task \(id.key) is found in it")
    }
    let request = try request(get, for: id)
    do {
      let response = try await api.read(request)
      guard let record = try api.json(response)[pointer: get.operation.result], record.object != nil else {
        throw api.failure.malformed("there is no record at \(get.operation.result.description.debugDescription)")
      }
      return record
    } catch let error as RPCError where error.kind == "not-found" {
      return nil
    }
  }

  /// The request of a call about a task.
  ///
  /// - Throws: `RPCError`; invalid-params, with the task's name, for an id that has no form in the request.
  private func request(
    _ call: RESTTaskMapping.Call, for id: TaskItem.ID, record: JSONValue = .null, _ decision: Decision? = nil
  ) throws(RPCError) -> HTTPRequest {
    do throws(RPCError) {
      return try call.operation.request(
        try call.params(key: id.key, record: record, decision: decision), api.settings)
    } catch {
      guard error.kind == "invalid-params" else { throw error }
      throw .invalidParams("\(api.instance): no request can be made for the task \(id): \(error.message)")
    }
  }

  /// Why a record is not the task's; nil for one that is, or that has no id.
  private func fault(of record: JSONValue, as id: TaskItem.ID) -> RPCError? {
    guard let found = record[pointer: fields.id], !found.isNull, fields.key(record) != id.key else { return nil }
    return api.failure.malformed("asked for the task \(id) it gives the record \(found.plain.debugDescription)")
  }

  private func key(_ record: JSONValue) throws -> String {
    if let key = fields.key(record) { return key }
    let isTooLong = record[pointer: fields.id]?.hasLostDigits == true
    throw api.failure.malformed(
      isTooLong ? "a task's \(fields.id) is an integer beyond 64 bits" : "a task has no \(fields.id)")
  }

  private func state(_ record: JSONValue) throws -> RESTTaskFields.State {
    try fields.state(record).mapError { api.failure.malformed($0.what) }.get()
  }

  private func item(_ id: TaskItem.ID, _ record: JSONValue) throws -> TaskItem {
    do throws(RESTRecordFault) {
      return try fields.item(id, record, actions: actions)
    } catch {
      throw api.failure.malformed(error.what)
    }
  }

  // MARK: Deciding

  func preview(_ decision: Decision, on task: TaskItem) throws -> JSONValue {
    let request = try request(decision, task)
    let members: [(String, JSONValue?)] = [
      ("method", JSONValue(request.method.rawValue)), ("url", JSONValue(request.url.description)),
      (
        "body",
        request.body.map { body in (try? JSONValue(parsing: body)) ?? JSONValue(String(decoding: body, as: UTF8.self)) }
      ),
    ]
    return JSONValue(object: members.compactMap { name, value in value.map { (name, $0) } })
  }

  func decide(_ decision: Decision, on task: TaskItem) async throws -> TaskItem {
    var seen = task
    for attempt in 1...Self.mostAttempts {
      do {
        _ = try await api.write(try request(decision, seen))
        break
      } catch let error as RPCError where error.kind == "conflict" || error.kind == "not-found" {
        let now = try await current(task, after: error)
        // Only what does not matter to the decision has moved, such as a version; nothing was done yet.
        guard error.kind == "conflict", attempt < Self.mostAttempts, now.revision == task.revision else {
          throw changed(now, error)
        }
        seen = now
      }
    }
    return try await decided(decision, task)
  }

  /// The task after a decision that was taken: it has to show it.
  private func decided(_ decision: Decision, _ task: TaskItem) async throws -> TaskItem {
    var decided = task
    let record = try? await record(task.id)
    if let record, let fault = fault(of: record, as: task.id) { throw UnclearOutcome(cause: fault) }
    if let now = record.flatMap({ try? item(task.id, $0) }) {
      if now.status.isOpen {
        throw UnclearOutcome(
          cause: .unavailable(
            "\(api.instance): the service took the decision and still shows the task as open", isRetryable: false))
      }
      if let outcome = now.outcome, outcome != decision.kind.outcome { throw AlreadyDecided(task: now) }
      decided = now
    }
    // The decision stands, whether the record can be read again or not.
    decided.status = .done
    decided.outcome = decision.kind.outcome
    decided.actions = []
    return decided
  }

  private func current(_ task: TaskItem, after error: RPCError) async throws -> TaskItem {
    guard let now = try await self.task(task.id) else {
      throw RPCError.notFound("\(api.instance): the service does not know the task \(task.id) any more.")
    }
    guard now.status.isOpen else { throw AlreadyDecided(task: now) }
    return now
  }

  private func changed(_ now: TaskItem, _ error: RPCError) -> RPCError {
    .conflict(error.message, details: error.details.merging(["task": now.json()]) { $1 })
  }

  private func request(_ decision: Decision, _ task: TaskItem) throws -> HTTPRequest {
    guard let call = mapping.decisions[decision.kind] else {
      throw RPCError.invalidParams(
        "\(api.instance): the settings say nothing of how to \(decision.kind.rawValue); add tasks.\(decision.kind.rawValue)."
      )
    }
    var request = try request(call, for: task.id, record: task.raw, decision)
    request.isSentOnce = true
    return request
  }

  func claim(_ task: TaskItem) async throws -> TaskItem { throw unclaimable }

  func release(_ task: TaskItem) async throws -> TaskItem { throw unclaimable }

  private var unclaimable: RPCError {
    .invalidParams("\(api.instance): tasks of a rest instance are not claimed; approve or reject them.")
  }
}
