internal import HTTPServer
internal import JSON
internal import Timing

/// `/api/now/table/…`
extension ServiceNowState {
  /// A request whose sender and table are known.
  struct Call {
    let request: ServerRequest
    let caller: ServiceNowCaller
    let table: String
    let now: Timestamp
    /// Whether it came by the first version's path.
    let isVersion1: Bool

    subscript(parameter: String) -> String? { request.query.first { $0.name == parameter }?.value }

    func flag(_ parameter: String) -> Bool { self[parameter] == "true" }
  }

  mutating func tableAnswer(_ request: ServerRequest, by caller: ServiceNowCaller) -> ServerResponse {
    var path = request.segments[...]
    guard path.starts(with: ["api", "now"]) else {
      return failure(ServiceNowError(400, "Requested URI does not represent any resource"))
    }
    path = path.dropFirst(2)
    let isVersion1 = path.first == "v1"
    if ["v1", "v2"].contains(path.first) { path = path.dropFirst() }
    guard path.popFirst() == "table", let table = path.popFirst(), path.count <= 1 else {
      return failure(ServiceNowError(400, "Requested URI does not represent any resource"))
    }
    let call = Call(request: request, caller: caller, table: table, now: clock.now, isVersion1: isVersion1)
    do throws(ServiceNowError) {
      try checkHeaders(of: request)
      guard tables[table] != nil else { throw ServiceNowError(400, "Invalid table \(table)") }
      switch (request.method, path.first) {
      case ("GET", nil): return try list(call)
      case ("POST", nil): return try create(call)
      case ("GET", let id?): return success(json(try visible(id, call), call))
      case ("PATCH", let id?), ("PUT", let id?): return try change(id, call)
      case ("DELETE", let id?): return try delete(id, call)
      default: throw ServiceNowError(405, "Method not supported")
      }
    } catch {
      return failure(error)
    }
  }

  private func checkHeaders(of request: ServerRequest) throws(ServiceNowError) {
    let isWrite = ["POST", "PATCH", "PUT"].contains(request.method)
    guard let accept = request.headers["Accept"] else {
      if isWrite { throw ServiceNowError(400, "Accept header missing") }
      return
    }
    guard accept.contains("application/json") || accept.contains("*/*") else {
      throw ServiceNowError(406, "Accept header not supported")
    }
    guard isWrite else { return }
    guard let type = request.headers["Content-Type"] else {
      throw ServiceNowError(switches.missingContentType, "Content-Type header missing")
    }
    guard type.lowercased().hasPrefix("application/json") else {
      throw ServiceNowError(415, "Content-Type not supported")
    }
  }

  private func success(_ result: JSONValue, status: Int = 200) -> ServerResponse {
    .json(["result": result], status: status)
  }

  // MARK: Reading

  func isVisible(_ record: ServiceNowRecord, to caller: ServiceNowCaller) -> Bool {
    !caller.isGuest && (caller.user.isAdmin || !hidden.contains(record.id))
  }

  private func visible(_ id: String, _ call: Call) throws(ServiceNowError) -> ServiceNowRecord {
    guard let record = record(id, in: call.table), isVisible(record, to: call.caller) else { throw .noRecord }
    return record
  }

  private mutating func list(_ call: Call) throws(ServiceNowError) -> ServerResponse {
    guard let offset = Int(call["sysparm_offset"] ?? "0"), let limit = Int(call["sysparm_limit"] ?? "10000"),
      offset >= 0, limit > 0
    else { throw ServiceNowError(400, "Invalid paging parameters") }
    let found = matches(call)
    // The limit comes first, and what may be seen after it: a page may have fewer rows, even none.
    let page = found.dropFirst(offset).prefix(limit)
    let rows = page.filter { isVisible($0, to: call.caller) }.map { json($0, call) }
    if call.isVersion1, found.isEmpty { throw ServiceNowError(404, "No Record found") }
    if let most = switches.rowsPerTransaction, rows.count > most {
      // As long as it works it writes, and then it says that it was stopped.
      let error = ServiceNowError(500, "Transaction cancelled: maximum execution time exceeded", "Check logs")
      let half = JSONValue(array: rows.prefix(rows.count / 2))
      return .json(error.json.merging(["result": half]))
    }
    var response = success(JSONValue(array: rows))
    if !call.flag("sysparm_no_count") { response.headers.add("X-Total-Count", "\(found.count)") }
    if found.count > limit, !call.flag("sysparm_suppress_pagination_header") {
      response.headers.add("Link", links(call, offset: offset, limit: limit, count: found.count))
    }
    return response
  }

  private mutating func matches(_ call: Call) -> [ServiceNowRecord] {
    let plain = call.request.query.filter { !$0.name.hasPrefix("sysparm_") }.map { "\($0.name)=\($0.value)" }
    let text = (call["sysparm_query"] ?? plain.joined(separator: "^"))
      .replacing("javascript:gs.getUserID()", with: call.caller.user.sysID)
    let query = ServiceNowQueryText(text) { field($0, of: nil, in: call.table) != nil || isDotted($0, in: call.table) }
    if query.hasDropped, switches.invalidQueryReturnsNoRows { return [] }
    func value(_ name: String, _ record: ServiceNowRecord) -> String {
      field(name, of: record, in: call.table)?.value ?? ""
    }
    var found = rows(of: call.table).filter { record in query.fits { value($0, record) } }
    // Without an order there is none, not even the same one for the next page.
    found.shuffle(using: &random)
    found.sort { left, right in
      for (name, isDescending) in query.order {
        let (a, b) = (value(name, left), value(name, right))
        if a != b { return isDescending ? a > b : a < b }
      }
      return false
    }
    return found
  }

  /// A path by way of a document, whose table only a record tells.
  private func isDotted(_ path: String, in table: String) -> Bool {
    let name = path.prefix { $0 != "." }
    guard path.contains("."), let kind = columns(of: table)?.first(where: { $0.name == name })?.kind else {
      return false
    }
    if case .document = kind { return true }
    return false
  }

  private func links(_ call: Call, offset: Int, limit: Int, count: Int) -> String {
    let others = call.request.query.filter { $0.name != "sysparm_offset" }
    func link(_ offset: Int, _ relation: String) -> String {
      let query = (others.map { ($0.name, $0.value) } + [("sysparm_offset", "\(offset)")])
        .map { "\($0.0)=\(FormText.encode($0.1))" }.joined(separator: "&")
      return "<\(configuration.ownURL)\(call.request.path)?\(query)>;rel=\"\(relation)\""
    }
    var links = [link(0, "first")]
    if offset > 0 { links.append(link(max(0, offset - limit), "prev")) }
    if offset + limit < count { links.append(link(offset + limit, "next")) }
    links.append(link((count - 1) / limit * limit, "last"))
    return links.joined(separator: ",")
  }

  // MARK: Writing

  private func body(_ call: Call) throws(ServiceNowError) -> [(name: String, text: String)] {
    guard call.request.body.count <= 10_485_760 else {
      throw ServiceNowError(
        400, "Exception while reading request",
        "Rejected large REST payload with content-length = \(call.request.body.count) bytes.")
    }
    guard let object = (try? JSONValue(parsing: call.request.body))?.object else {
      throw ServiceNowError(400, "Exception while reading request", "The payload is not valid JSON")
    }
    return object.map { name, value in (name, value.string ?? (value.isNull ? "" : value.description)) }
  }

  private mutating func create(_ call: Call) throws(ServiceNowError) -> ServerResponse {
    guard !call.caller.isGuest else { throw .constraints("Insert") }
    var values = try body(call)
    if call.table == "sysapproval_approver", !call.caller.user.isAdmin {
      values.removeAll { ["approver", "sysapproval", "document_id"].contains($0.name) }
    }
    let writable = values.filter { mayWrite($0.name, call) }
    let id = make(call.table, Dictionary(writable.map { ($0.name, $0.text) }) { $1 }, by: call.caller.user.name)
    guard let record = record(id, in: call.table) else { throw .noRecord }
    var response = success(json(record, call), status: 201)
    response.headers.add("Location", "\(configuration.ownURL)/api/now/table/\(call.table)/\(id)")
    return response
  }

  private mutating func change(_ id: String, _ call: Call) throws(ServiceNowError) -> ServerResponse {
    let record = try visible(id, call)
    var values = try body(call).filter { mayWrite($0.name, call) }
    if record.table == "sysapproval_approver" {
      guard try mayDecide(record, &values, call) else { return success(json(record, call)) }
    }
    write(values, to: record, by: call.caller.user.name)
    if record.table == "sysapproval_approver", let state = values.first(where: { $0.name == "state" })?.text,
      state != record["state"]
    {
      decisions[id, default: 0] += 1
      rollUp(after: record)
    }
    guard let changed = self.record(id, in: call.table) else { throw .noRecord }
    return success(json(changed, call))
  }

  private mutating func delete(_ id: String, _ call: Call) throws(ServiceNowError) -> ServerResponse {
    let record = try visible(id, call)
    guard !call.caller.isGuest else { throw .constraints("Delete") }
    records[record.table]?.remove { $0.id == id }
    return ServerResponse(status: 204)
  }

  private func mayWrite(_ name: String, _ call: Call) -> Bool {
    guard !name.hasPrefix("sys_"), columns(of: call.table)?.contains(where: { $0.name == name }) == true else {
      return false
    }
    return call.caller.user.isAdmin || !unwritable.contains("\(call.table).\(name)")
  }

  // MARK: Showing

  func json(_ record: ServiceNowRecord, _ call: Call) -> JSONValue {
    let names =
      call["sysparm_fields"].map { $0.split(separator: ",").map(String.init) }
      ?? columns(of: call.table)?.map(\.name) ?? []
    let members = names.compactMap { name -> (String, JSONValue)? in
      let isHidden = !call.caller.user.isAdmin && unreadable.contains("\(record.table).\(name)")
      guard !isHidden, let field = field(name, of: record, in: call.table) else { return nil }
      return (name, json(field, call))
    }
    return JSONValue(object: members)
  }

  private func json(_ field: Field, _ call: Call) -> JSONValue {
    let value = JSONValue(field.value)
    let shown = JSONValue(display(field, to: call.caller.user))
    let isLinked = field.target != nil && !field.value.isEmpty && !call.flag("sysparm_exclude_reference_link")
    // In a conditional expression nil would be null.
    var link: JSONValue?
    if isLinked { link = JSONValue("\(configuration.ownURL)/api/now/table/\(field.target ?? "")/\(field.value)") }
    switch call["sysparm_display_value"] {
    case "all":
      let both: JSONValue = ["display_value": shown, "value": value]
      if let link { return both.setting("link", to: link) }
      return both
    case "true":
      if let link { return ["display_value": shown, "link": link] }
      return shown
    default:
      if let link { return ["link": link, "value": value] }
      return value
    }
  }
}
