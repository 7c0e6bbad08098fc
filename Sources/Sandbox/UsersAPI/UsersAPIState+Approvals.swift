internal import HTTPServer
internal import JSON
internal import Timing

extension UsersAPIState {
  private static let pageSize = 50
  private static let cursorLife = Duration.seconds(600)

  func index(ofApproval id: String) throws(UsersAPIError) -> Int {
    guard let index = approvals.firstIndex(where: { String($0.id) == id }) else { throw .unknown }
    return index
  }

  mutating func listApprovals(_ request: ServerRequest) throws(UsersAPIError) -> ServerResponse {
    let state = request.query.first { $0.name == "state" }?.value
    if let state, APIApproval.State(rawValue: state) == nil { throw .bad("state takes pending, approved, rejected.") }
    var after = 0
    if let text = request.query.first(where: { $0.name == "cursor" })?.value {
      guard let cursor = cursors[text], cursor.state == state else { throw .bad("The cursor is not valid.") }
      guard cursor.end > clock.now else {
        throw UsersAPIError(status: 410, code: "cursor_expired", message: "The cursor has expired.")
      }
      after = cursor.after
    }
    let rows = approvals.filter { $0.id > after && (state == nil || $0.state.rawValue == state) }
    let page = rows.prefix(Self.pageSize)
    var next = JSONValue.null
    if let last = page.last, rows.count > page.count || switches.repeatsCursor {
      let cursor = switches.repeatsCursor ? "x+/=" : Base64.encode(Array("\u{fb}\u{ef}\u{be}\(last.id)>?".utf8))
      cursors[cursor] = Cursor(
        state: state, after: switches.repeatsCursor ? 0 : last.id, end: clock.now + Self.cursorLife)
      next = .init(cursor)
    }
    return success(
      JSONValue(array: page.map(\.json)), meta: ["per_page": .init(Self.pageSize), "next_cursor": next])
  }

  /// Decides an approval; the effect comes before the answer.
  mutating func decide(_ id: String, _ request: ServerRequest) throws(UsersAPIError) -> ServerResponse {
    let index = try index(ofApproval: id)
    let key = request.headers["Idempotency-Key"].map { "\(id) \($0)" }
    if let key, let known = keys[key] {
      guard known.body == request.body else {
        throw UsersAPIError(status: 422, code: "key_reused", message: "The key was used for another decision.")
      }
      return known.answer
    }
    guard request.headers["Content-Type"]?.hasPrefix("application/json") == true else {
      throw UsersAPIError(status: 415, code: "unsupported", message: "Send JSON.")
    }
    let json = (try? JSONValue(parsing: request.body)) ?? .null
    guard let word = json["decision"]?.string, ["approve", "reject"].contains(word) else {
      throw .invalid([("decision", "takes approve or reject")])
    }
    guard let version = json["version"]?.int else { throw .invalid([("version", "is missing")]) }
    guard approvals[index].state == .pending else {
      throw conflict("already_decided", "It was decided already.", index)
    }
    guard version == Int64(approvals[index].version) else {
      throw conflict("out_of_date", "It has changed since it was read.", index)
    }
    if let latency = switches.decidesLater {
      effects.add(request, after: latency, now: clock.now)
      return ServerResponse(status: 202)
    }
    finish(index, word == "approve" ? .approved : .rejected, by: configuration.login, json["comment"]?.string)
    approvals[index].decisions += 1
    let answer = success(approvals[index].json)
    if let key { keys[key] = (request.body, success(approvals[index].json.setting("replayed", to: true))) }
    return answer
  }

  mutating func finish(_ index: Int, _ state: APIApproval.State, by user: String, _ comment: String?) {
    approvals[index].state = state
    approvals[index].decidedBy = user
    approvals[index].comment = comment
    approvals[index].version += 1
  }

  private func conflict(_ code: String, _ message: String, _ index: Int) -> UsersAPIError {
    UsersAPIError(status: 409, code: code, message: message, current: approvals[index].json)
  }
}
