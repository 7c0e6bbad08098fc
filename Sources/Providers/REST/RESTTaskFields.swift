internal import RingiKit

/// Where in a record the parts of a task are.
struct RESTTaskFields {
  let id: JSONPointer
  let title: JSONPointer
  let requester: JSONPointer?
  let assignees: JSONPointer?
  let createdAt: JSONPointer?
  let dueAt: JSONPointer?
  let url: JSONPointer?
  let decidedBy: JSONPointer?
  let decisive: [JSONPointer]
  let priority: (at: JSONPointer, words: [String: TaskItem.Priority])?
  let state: JSONPointer
  let states: [String: State]

  /// What a record's state means.
  struct State {
    let status: TaskItem.Status
    var outcome: TaskItem.Outcome?
  }

  /// The members of `status` that list the service's words.
  static let words: KeyValuePairs<String, State> = [
    "ready": State(status: .ready), "claimed": State(status: .claimed),
    "approved": State(status: .done, outcome: .approved), "rejected": State(status: .done, outcome: .rejected),
    "completed": State(status: .done, outcome: .completed), "decided": State(status: .done),
    "gone": State(status: .gone),
  ]

  init(_ part: SettingsPart) throws(SettingsError) {
    id = try part.pointer("id") ?? JSONPointer(tokens: ["id"])
    title = try part.pointer("title") ?? JSONPointer(tokens: ["title"])
    requester = try part.pointer("requester")
    assignees = try part.pointer("assignees")
    createdAt = try part.pointer("createdAt")
    dueAt = try part.pointer("dueAt")
    url = try part.pointer("url")
    decidedBy = try part.pointer("decidedBy")
    var decisive: [JSONPointer] = []
    for text in part.texts("decisive") {
      guard let pointer = JSONPointer(text) else { throw part.fault("decisive", "\(text) is no JSON pointer") }
      decisive.append(pointer)
    }
    self.decisive = decisive
    priority = try part.part("priority").map { part throws(SettingsError) in
      let words = TaskItem.Priority.allCases.flatMap { level in
        part.json[level.rawValue]?.array?.map { ($0.plain, level) } ?? []
      }
      return (try part.pointer("at") ?? .root, Dictionary(words) { $1 })
    }
    guard let status = part.part("status") else { throw part.fault("status is missing") }
    state = try status.pointer("at") ?? .root
    states = Dictionary(
      Self.words.flatMap { name, state in status.json[name]?.array?.map { ($0.plain, state) } ?? [] }
    ) { $1 }
  }

  /// The id that a record has; a number as its digits.
  func key(_ record: JSONValue) -> String? {
    guard let id = record[pointer: id], id.string != nil || id.int != nil, !id.plain.isEmpty else { return nil }
    return id.plain
  }

  /// What the record's state means, or why nobody knows.
  func state(_ record: JSONValue) -> Result<State, RESTRecordFault> {
    guard let word = record[pointer: state] else { return .failure(RESTRecordFault("a task has no \(state)")) }
    guard let state = states[word.plain] else {
      return .failure(
        RESTRecordFault("a task's \(state) is \(word.plain.debugDescription), of which tasks.status says nothing"))
    }
    return .success(state)
  }

  /// The record as a task.
  func item(_ id: TaskItem.ID, _ record: JSONValue, actions: [TaskItem.Action]) throws(RESTRecordFault) -> TaskItem {
    let state = try state(record).get()
    if let pointer = decisive.first(where: { record[pointer: $0]?.hasLostDigits == true }) {
      throw RESTRecordFault(
        "\(pointer) of the task \(id) is an integer beyond 64 bits, on which no decision can rest; it can't be decisive"
      )
    }
    return TaskItem(
      id: id, title: text(title, record) ?? id.key, status: state.status, outcome: state.outcome,
      decidedBy: decidedBy.flatMap { text($0, record) }, requester: requester.flatMap { text($0, record) },
      assignees: assignees.flatMap { names(record[pointer: $0]) } ?? [],
      priority: priority.flatMap { $0.words[record[pointer: $0.at]?.plain ?? ""] } ?? .medium,
      createdAt: createdAt.flatMap { time($0, record) }, dueAt: dueAt.flatMap { time($0, record) },
      url: url.flatMap { text($0, record) }, actions: state.status.isOpen ? actions : [],
      decisive: JSONValue(array: decisive.map { record[pointer: $0] ?? .null }), raw: record)
  }

  private func text(_ pointer: JSONPointer, _ record: JSONValue) -> String? {
    guard let value = record[pointer: pointer], value.string?.isEmpty == false || value.int != nil else { return nil }
    return value.plain
  }

  private func names(_ value: JSONValue?) -> [String]? {
    func name(_ value: JSONValue) -> String? { value.string ?? value.int.map { String($0) } }
    return value?.array?.compactMap(name) ?? value.flatMap(name).map { [$0] }
  }

  private func time(_ pointer: JSONPointer, _ record: JSONValue) -> Timestamp? {
    text(pointer, record).flatMap(RESTTime.init)?.timestamp
  }
}

/// A record is no task.
struct RESTRecordFault: Error {
  let what: String
  init(_ what: String) { self.what = what }
}
