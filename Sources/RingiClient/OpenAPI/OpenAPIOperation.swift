internal import JSON

/// One operation of an OpenAPI document on its way into a plugin's file.
struct OpenAPIOperation {
  let schemas: OpenAPISchema
  /// `GET /users/{id}`, for the report.
  let what: String
  let path: String
  private(set) var report: [String] = []
  private(set) var isUsable = true
  private var params: [(name: String, schema: JSONValue)] = []
  private var required: [String] = []
  private var body: String?

  /// The types of content that a body can be sent as, the best first.
  private static let bodies = [
    ("application/json", "json"), ("application/x-www-form-urlencoded", "form"), ("multipart/form-data", "multipart"),
  ]

  init(schemas: OpenAPISchema, what: String, path: String) {
    (self.schemas, self.what, self.path) = (schemas, what, path)
  }

  /// Takes the parameters over; those of the operation replace those of its path.
  ///
  /// Those in the path come first, since they have to keep their names.
  mutating func take(parameters own: [JSONValue], then shared: [JSONValue]) {
    var seen: Set<String> = []
    let all = (own + shared).map(schemas.resolved)
    func isInPath(_ parameter: JSONValue) -> Bool { parameter["in"]?.string == "path" }
    for parameter in all.filter(isInPath) + all.filter({ !isInPath($0) }) {
      let (name, place) = (parameter["name"]?.string ?? "", parameter["in"]?.string ?? "")
      guard seen.insert("\(place) \(name)").inserted else { continue }
      take(parameter, name, place)
    }
  }

  private mutating func take(_ parameter: JSONValue, _ name: String, _ place: String) {
    let isRequired = parameter["required"]?.bool == true
    var schema = schemas.inlined(parameter["schema"] ?? .emptyObject)
    let hasPlainForm = schema["type"]?.string != "object" && parameter["content"] == nil
    let isSpread = schema["type"]?.string != "array" || (place == "query" && parameter["explode"]?.bool != false)
    guard ["path", "query", "header"].contains(place), hasPlainForm, isSpread, !name.isEmpty else {
      report.append("\(what): the \(place) parameter \(name) is left out.")
      if isRequired { isUsable = false }
      return
    }
    // These headers are the agent's own business.
    if place == "header", ["accept", "authorization", "content-type"].contains(name.lowercased()) { return }
    if let text = parameter["description"], schema["description"] == nil {
      schema = schema.setting("description", to: text)
    }
    add(name, schema.setting("in", to: .init(place)), isRequired: isRequired || place == "path")
  }

  /// A name that is taken gets another one, and says what the service calls it.
  ///
  /// Defaults are the service's own to fill in: sent along, one would overwrite what a change does not speak of.
  private mutating func add(_ name: String, _ schema: JSONValue, isRequired: Bool) {
    let schema = schema.setting("default", to: nil)
    var (free, number) = (name, 2)
    while params.contains(where: { $0.name == free }) {
      free = "\(name)\(number)"
      number += 1
    }
    params.append((free, free == name ? schema : schema.setting("wire", to: .init(name))))
    if isRequired { required.append(free) }
  }

  /// Takes the members of the body over as params.
  mutating func take(body: JSONValue, isGet: Bool) {
    let content = body["content"]?.object.map(Array.init) ?? []
    let isRequired = body["required"]?.bool == true
    let found = Self.bodies.lazy.compactMap { type, name in
      content.first { $0.key.lowercased().hasPrefix(type) }.map { (name, $0.value) }
    }.first
    guard !isGet, let (kind, media) = found else { return leaveOut("its body has no form that is known", isRequired) }
    guard let (properties, required) = schemas.properties(schemas.inlined(media["schema"] ?? .null)) else {
      return leaveOut("its body is no plain object", isRequired)
    }
    self.body = kind
    for (name, schema) in properties where schema["readOnly"]?.bool != true {
      if kind == "multipart", schema["format"]?.string == "binary" || schema["contentMediaType"] != nil {
        report.append("\(what): the file \(name) is left out.")
        if required.contains(name) { isUsable = false }
        continue
      }
      add(name, schema.setting("in", to: "body"), isRequired: isRequired && required.contains(name))
    }
  }

  private mutating func leaveOut(_ why: String, _ isRequired: Bool) {
    report.append("\(what): \(why).")
    if isRequired { isUsable = false }
  }

  /// A path needs its params, and no characters that a path does not take.
  mutating func checkPath() {
    let inPath = params.filter { $0.schema["in"]?.string == "path" }.map(\.name)
    var literal = path
    for name in inPath {
      if !path.contains("{\(name)}") {
        report.append("\(what): the path has no {\(name)}.")
        isUsable = false
      }
      literal = literal.replacing("{\(name)}", with: "x")
    }
    let isOdd = literal.split(separator: "/").contains { $0 == "." || $0 == ".." } || literal.contains("//")
    if isOdd || literal.contains(where: { "{}?# ".contains($0) }) || !literal.hasPrefix("/") {
      report.append("\(what): the path is not one that can be filled in.")
      isUsable = false
    }
  }

  /// The operation as the file has it.
  func json(method: String, summary: String, returns: JSONValue?) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("summary", .init(summary)), ("method", .init(method.uppercased())), ("path", .init(path)),
    ]
    if !params.isEmpty { members.append(("params", JSONValue(object: params.map { ($0.name, $0.schema) }))) }
    if !required.isEmpty { members.append(("required", JSONValue(array: required.map { JSONValue($0) }))) }
    if let body { members.append(("body", .init(body))) }
    if let returns { members.append(("returns", returns)) }
    return JSONValue(object: members)
  }
}
