package import HTTPServer
package import JSON
internal import Timing

/// Other people, in the process or over `/_control/`.
extension UsersAPIState {
  /// Makes a pending approval; gives its id.
  @discardableResult
  package mutating func makeApproval(_ title: String, amount: Int = 100, requestedBy: String = "hanako") -> Int {
    let id = newID()
    approvals.append(
      APIApproval(id: id, title: title, amount: amount, requestedBy: requestedBy, createdAt: clock.now))
    return id
  }

  /// Makes a user as somebody else; gives its id.
  @discardableResult
  package mutating func makeUser(_ name: String, email: String) -> Int {
    let id = newID()
    users.append(APIUser(id: id, name: name, email: email, createdAt: clock.now, updatedAt: clock.now))
    return id
  }

  /// Changes an approval as somebody else, so that its version rises.
  package mutating func editApproval(_ id: Int, amount: Int? = nil) throws(ControlError) {
    let index = try place(id)
    if let amount { approvals[index].amount = amount }
    approvals[index].version += 1
  }

  /// Decides as somebody else; not counted as a decision.
  package mutating func decideElsewhere(_ id: Int, _ state: APIApproval.State, by user: String) throws(ControlError) {
    finish(try place(id), state, by: user, nil)
  }

  package func approval(_ id: Int) -> APIApproval? { approvals.first { $0.id == id } }

  package func user(_ id: Int) -> APIUser? { users.first { $0.id == id } }

  package mutating func revokeTokens() { tokens = [:] }

  private func place(_ id: Int) throws(ControlError) -> Int {
    guard let index = approvals.firstIndex(where: { $0.id == id }) else {
      throw .notFound("There is no approval \(id).")
    }
    return index
  }

  private func place(_ id: String) throws(ControlError) -> Int { try place(Int(id) ?? 0) }

  package mutating func control(_ request: ServerRequest, _ path: [String]) throws(ControlError) -> JSONValue {
    switch (request.method, path.first, path.count) {
    case ("GET", "approvals", 1):
      return JSONValue(array: approvals.map { $0.json.setting("decisions", to: .init($0.decisions)) })
    case ("POST", "approvals", 1):
      let body = try ControlBody(of: request, taking: ["title", "amount", "requested_by"])
      let id = makeApproval(
        try body.string("title") ?? "Approve order", amount: try body.int("amount") ?? 100,
        requestedBy: try body.string("requested_by") ?? "hanako")
      return ["id": .init(id)]
    case ("PATCH", "approvals", 2):
      let amount = try ControlBody(of: request, taking: ["amount"]).int("amount")
      try editApproval(approvals[try place(path[1])].id, amount: amount)
    case ("POST", "approvals", 3) where path[2] == "decide":
      let body = try ControlBody(of: request, taking: ["state", "by"])
      let state: APIApproval.State = try body.need("state", try body.choice("state"))
      finish(try place(path[1]), state, by: try body.string("by") ?? "somebody", nil)
    case ("POST", "tokens", 2) where path[1] == "revoke": revokeTokens()
    default: throw Self.unknownControl(request)
    }
    return .emptyObject
  }
}
