internal import RingiKit

/// One thing that can be asked of the service: a method of the instance.
struct RESTOperation {
  enum Body: String, CaseIterable { case json, form, multipart }

  /// `user.get`.
  let name: String
  let summary: String
  let method: HTTPMethod
  let path: RESTPath
  let params: [RESTParam]
  let body: Body
  /// Where in the answer the result is.
  let result: JSONPointer
  let returns: Schema?
  let paging: RESTPaging?
  /// Whether it may change something at the service.
  let changes: Bool
  let schema: Schema

  static let methods: [HTTPMethod] = [.get, .post, .put, .patch, .delete]

  /// Reads an operation.
  ///
  /// - Parameters:
  ///   - name: The method's name without the instance.
  ///   - base: The path of its resource.
  ///   - part: What the settings say.
  ///   - names: How the service writes names.
  /// - Throws: `SettingsError`.
  init(_ name: String, below base: String, _ part: SettingsPart, names: RESTNames) throws(SettingsError) {
    self.name = name
    method = part.text("method").flatMap(HTTPMethod.init) ?? .get
    summary = part.text("summary") ?? "Sends \(method.rawValue) \(base)\(part.text("path") ?? "")."
    let own = part.text("path") ?? ""
    guard own.isEmpty || own.hasPrefix("/") else { throw part.fault("path", "a path begins with a slash") }
    path = try RESTPath(base + own, in: part, "path")
    body = part.text("body").flatMap(Body.init) ?? .json
    result = try part.pointer("result") ?? .root
    changes = method != .get && part.json["reads"]?.bool != true
    paging = try part.part("paging").map { part throws(SettingsError) in try RESTPaging(part) }
    returns = try part.part("returns").map { part throws(SettingsError) in try Self.schema(part) }
    params = try Self.params(part, path: path, method: method, names)
    schema = try Self.schema(of: params, part, path: path, isPaged: paging != nil)
    if changes, paging != nil { throw part.fault("paging", "an operation that changes something has one answer") }
  }

  private static func params(
    _ part: SettingsPart, path: RESTPath, method: HTTPMethod, _ names: RESTNames
  ) throws(SettingsError) -> [RESTParam] {
    // As clients of such services mostly do: what has a body takes params there.
    let plain: RESTParam.Place = method == .get || method == .delete ? .query : .body
    var params: [RESTParam] = []
    for (name, part) in part.members("params") {
      params.append(try RESTParam(name, part, standard: path.names.contains(name) ? .path : plain, names: names))
    }
    for name in path.names where !params.contains(where: { $0.name == name }) {
      throw part.fault("path", "{\(name)} is none of the params; declare it there with its type")
    }
    if method == .get, let stray = params.first(where: { $0.place == .body }) {
      throw part.fault("params", "\(stray.name) can't be in the body, which GET does not have")
    }
    return params
  }

  private static func schema(
    of params: [RESTParam], _ part: SettingsPart, path: RESTPath, isPaged: Bool
  ) throws(SettingsError) -> Schema {
    let required = part.texts("required")
    if let stray = required.first(where: { name in !params.contains { $0.name == name } }) {
      throw part.fault("required", "\(stray) is none of the params")
    }
    var properties = params.map { (name: $0.name, schema: $0.schema) }
    if isPaged {
      guard !properties.contains(where: { $0.name == "limit" }) else {
        throw part.fault(
          "params", "limit is what a list with pages takes by itself; set another name, and wire to limit")
      }
      properties.append(
        (
          "limit",
          .integer("The most rows to give.", 1...Int64(RESTList.most)).default(JSONValue(RESTList.most))
        ))
    }
    let inPath = path.names.filter { !required.contains($0) }
    return .object(properties: properties, required: inPath + required)
  }

  private static func schema(_ part: SettingsPart) throws(SettingsError) -> Schema {
    do {
      return try Schema(json: part.json)
    } catch {
      throw SettingsError(at: JSONPointer(tokens: part.place.tokens + error.pointer.tokens), error.message)
    }
  }

  // MARK: Requests

  /// The request for some params, without credentials.
  ///
  /// - Parameters:
  ///   - params: They fit ``schema``.
  ///   - settings: Where it goes.
  /// - Returns: The request.
  /// - Throws: `RPCError` (invalid-params) for values that the request has no form for.
  func request(_ params: JSONValue, _ settings: RESTSettings) throws(RPCError) -> HTTPRequest {
    var (query, texts): ([(String, String)], [(String, String)]) = ([], [])
    var members: [(String, JSONValue)] = []
    var headers: HTTPHeaders = ["Accept": "application/json"]
    for (name, value) in settings.headers { headers[name] = value }
    for param in self.params {
      guard let value = params[param.name] else { continue }
      switch param.place {
      case .path: continue
      case .query: if !value.isNull { query += try param.texts(value).map { (param.wire, $0) } }
      case .header: if !value.isNull { headers[param.wire] = try param.text(value) }
      case .body where body == .json: members.append((param.wire, settings.names.wire(value)))
      case .body: texts += try param.texts(value).map { (param.wire, $0) }
      }
    }
    let path = try path.filled { name throws(RPCError) in
      guard let param = self.params.first(where: { $0.name == name }), let value = params[name] else { return "" }
      return try param.text(value)
    }
    let url = settings.url.appending(encodedPath: path).adding(query: query)
    var request = HTTPRequest(method, url, headers: headers, timeouts: settings.connection.timeouts)
    guard self.params.contains(where: { $0.place == .body }) else { return request }
    switch body {
    case .json: request.setBody(json: JSONValue(object: members))
    case .form: request.setBody(form: texts)
    case .multipart: request.setBody(multipart: texts.map { MultipartPart($0.0, Array($0.1.utf8)) })
    }
    return request
  }

  /// Params that may not fit yet, with the defaults of those that are missing.
  ///
  /// - Throws: `RPCError` (invalid-params).
  func checked(_ params: JSONValue) throws(RPCError) -> JSONValue {
    var params = params
    for (name, schema) in schema.properties where params[name] == nil {
      if let standard = schema.defaultValue { params = params.setting(name, to: standard) }
    }
    let violations = schema.validate(params)
    guard violations.isEmpty else {
      throw .invalidParams("\(name): \(violations.prefix(3).map(\.description).joined(separator: "; "))")
    }
    return params
  }
}
