internal import HTTPServer
internal import JSON
internal import Timing

extension UsersAPIState {
  private static let longest = 255

  /// The fields of a body as texts; nil is null, which JSON alone can say.
  private func fields(of request: ServerRequest) throws(UsersAPIError) -> [String: String?] {
    let type = request.headers["Content-Type"] ?? ""
    switch type.prefix(while: { $0 != ";" }).lowercased() {
    case "application/json":
      guard let object = (try? JSONValue(parsing: request.body))?.object else { throw .bad("The body is no object.") }
      return Dictionary(object.map { ($0.key, $0.value.isNull ? nil : $0.value.string ?? $0.value.description) }) { $1 }
    case "application/x-www-form-urlencoded":
      guard let items = ServerRequest.queryItems(Substring(String(decoding: request.body, as: UTF8.self))) else {
        throw .bad("The body is no form.")
      }
      return Dictionary(items.map { ($0.name, $0.value) }) { $1 }
    case "multipart/form-data":
      guard let fields = MultipartForm.fields(request.body, contentType: type) else {
        throw .bad("The body is no multipart form.")
      }
      return Dictionary(fields.map { ($0.0, $0.1) }) { $1 }
    case "" where request.body.isEmpty: return [:]
    default: throw UsersAPIError(status: 415, code: "unsupported", message: "Send JSON, a form or multipart.")
    }
  }

  mutating func createUser(_ request: ServerRequest) throws(UsersAPIError) -> ServerResponse {
    let fields = try fields(of: request)
    var missing: [(String, String)] = []
    for name in ["name", "email"] where (fields[name] ?? nil)?.isEmpty ?? true { missing.append((name, "is missing")) }
    guard missing.isEmpty else { throw .invalid(missing) }
    var user = APIUser(id: newID(), name: "", email: "", createdAt: clock.now, updatedAt: clock.now)
    try apply(fields, to: &user)
    users.append(user)
    var response = success(user.json, status: 201)
    response.headers.add("Location", "/v2/users/\(user.id)")
    return response
  }

  /// Empty and null clear `tel`, which alone may be missing.
  private func apply(_ fields: [String: String?], to user: inout APIUser) throws(UsersAPIError) {
    var faults: [(String, String)] = []
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) where ["name", "email", "tel"].contains(name) {
      let text = value ?? ""
      if text.unicodeScalars.count > Self.longest { faults.append((name, "is too long")) }
      if name != "tel", text.isEmpty { faults.append((name, "is missing")) }
      if name == "email", !text.contains("@") { faults.append((name, "is invalid")) }
      switch name {
      case "name": user.name = text
      case "email": user.email = text
      default: user.tel = text.isEmpty ? nil : text
      }
    }
    guard faults.isEmpty else { throw .invalid(faults) }
  }

  mutating func answerUser(_ request: ServerRequest, _ id: String) throws(UsersAPIError) -> ServerResponse {
    guard let index = users.firstIndex(where: { String($0.id) == id }) else { throw .unknown }
    switch request.method {
    case "GET": return success(users[index].json)
    case "DELETE":
      users.remove(at: index)
      return ServerResponse(status: 204)
    case "PATCH": return try change(index, request)
    case "POST":
      guard try fields(of: request)["_method"] == "PATCH" else { fallthrough }
      return try change(index, request, isPost: true)
    default: return ServerResponse(status: 405, headers: ["Allow": "GET, PATCH, DELETE"])
    }
  }

  private mutating func change(
    _ index: Int, _ request: ServerRequest, isPost: Bool = false
  ) throws(UsersAPIError) -> ServerResponse {
    let fields = try fields(of: request)
    if !isPost, request.headers["Content-Type"]?.hasPrefix("multipart/") == true {
      switch switches.patchMultipart {
      case .parse: break
      case .ignore200: return success(users[index].json)
      case .refuse: throw UsersAPIError(status: 415, code: "unsupported", message: "Send JSON or a form.")
      }
    }
    var user = users[index]
    if let tag = request.headers["If-Match"], tag != "\"\(user.updatedAt.rfc3339)\"" {
      throw UsersAPIError(status: 412, code: "out_of_date", message: "The record has changed.", current: user.json)
    }
    try apply(fields, to: &user)
    user.updatedAt = max(clock.now, user.updatedAt + .milliseconds(1))
    users[index] = user
    return success(user.json)
  }

  mutating func listUsers(_ request: ServerRequest) throws(UsersAPIError) -> ServerResponse {
    func number(_ name: String, _ standard: Int) throws(UsersAPIError) -> Int {
      guard let text = request.query.first(where: { $0.name == name })?.value else { return standard }
      guard let number = Int(text), number > 0 else { throw .bad("\(name) takes a number from 1.") }
      return number
    }
    let (page, size) = (try number("page", 1), try number("per_page", 50))
    guard size <= 200 else { throw .bad("per_page takes 200 at most.") }
    if switches.drift, page > 1 { drift() }
    var rows = users
    if let text = request.query.first(where: { $0.name == "q" })?.value {
      rows = rows.filter { $0.name.contains(text) || $0.email.contains(text) }
    }
    if let text = request.query.first(where: { $0.name == "updated_since" })?.value {
      guard let since = Timestamp(rfc3339: text) else { throw .bad("updated_since takes a time.") }
      rows = rows.filter { $0.updatedAt >= since }
    }
    let here = rows.dropFirst((page - 1) * size).prefix(size)
    var response = success(
      JSONValue(array: here.map(\.json)),
      meta: ["page": .init(page), "per_page": .init(size), "total": .init(rows.count), "next_cursor": .null])
    if page * size < rows.count { response.headers.add("Link", link(request, page: page + 1)) }
    return response
  }

  private func link(_ request: ServerRequest, page: Int) -> String {
    let others = request.query.filter { $0.name != "page" }.map { "\($0.name)=\($0.value)" }
    let query = (others + ["page=\(page)"]).joined(separator: "&")
    return "<\(switches.linkForeign ?? "")/v2/users?\(query)>; rel=\"next\""
  }

  /// Somebody else takes the first user away, and another one comes.
  private mutating func drift() {
    if !users.isEmpty { users.removeFirst() }
    let id = newID()
    users.append(
      APIUser(id: id, name: "New \(id)", email: "new\(id)@acme.example", createdAt: clock.now, updatedAt: clock.now))
  }
}
