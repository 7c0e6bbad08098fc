internal import JSON
internal import YAML

/// A plugins.d file for the `rest` provider, made of an OpenAPI 3 document.
///
/// - SeeAlso: OpenAPI Specification 3.0.4 and 3.1.1.
struct OpenAPIImport {
  /// What could not be taken over, a sentence each.
  private(set) var report: [String] = []
  private let document: JSONValue
  private let schemas: OpenAPISchema
  private var resources: [(name: String, operations: [(name: String, json: JSONValue)])] = []

  private static let methods = ["get", "post", "put", "patch", "delete"]

  /// Reads a document.
  ///
  /// - Parameter text: Its JSON or YAML.
  /// - Throws: `Failure` when it is none.
  init(_ text: String) throws(Failure) {
    document = try Self.parsed(text)
    guard document["openapi"]?.string?.hasPrefix("3.") == true else {
      throw Failure(.usage, "The document is no OpenAPI 3: its member openapi does not begin with 3.")
    }
    schemas = OpenAPISchema(document: document)
    for (path, item) in document["paths"]?.object.map(Array.init) ?? [] {
      let item = schemas.resolved(item)
      for method in Self.methods {
        if let operation = item[method] { add(operation, method, path, item) }
      }
      for method in ["head", "options", "trace"] where item[method] != nil {
        report.append("\(method.uppercased()) \(path): the method is left out.")
      }
    }
    if document["webhooks"] != nil { report.append("webhooks: left out.") }
  }

  /// JSON is YAML, too; read as what it is, its errors say more.
  private static func parsed(_ text: String) throws(Failure) -> JSONValue {
    do {
      return text.first { !$0.isWhitespace } == "{" ? try JSONValue(parsing: text) : try YAMLDocument.parse(text)
    } catch let error as JSONSyntaxError {
      throw Failure(.usage, "The document is not JSON: \(error).")
    } catch {
      throw Failure(.usage, "The document is not YAML: \(error).")
    }
  }

  /// The file.
  mutating func declaration() -> JSONValue {
    var settings: [(String, JSONValue)] = [("url", .init(url()))]
    if let auth = auth() { settings.append(("auth", auth)) }
    settings.append(
      (
        "resources",
        JSONValue(
          object: resources.map {
            ($0.name, ["operations": JSONValue(object: $0.operations.map { ($0.name, $0.json) })])
          })
      ))
    if schemas.isCut {
      report.append("schemas: some are too large to be taken over whole; the rest of them takes anything.")
    }
    report.append("paging: left out; where a list has pages, add paging to its operation.")
    return ["provider": "rest", "settings": JSONValue(object: settings)]
  }

  // MARK: The server

  private mutating func url() -> String {
    let servers = document["servers"]?.array.map(Array.init) ?? []
    if servers.count > 1 { report.append("servers: the first of \(servers.count) is taken.") }
    var url = servers.first?["url"]?.string ?? "/"
    for (name, variable) in servers.first?["variables"]?.object.map(Array.init) ?? [] {
      url = url.replacing("{\(name)}", with: variable["default"]?.string ?? "")
    }
    if url.contains("@") || url.contains("?") || url.contains("#") {
      report.append("servers: the address has a user, a query or a fragment in it; put it into url without.")
      return "https://HOST"
    }
    guard url.hasPrefix("https://") || url.hasPrefix("http://") else {
      report.append("servers: the address is not told; put the host into url.")
      return "https://HOST" + (url.hasPrefix("/") ? url : "/" + url)
    }
    return url
  }

  private mutating func auth() -> JSONValue? {
    let all = document["components"]?["securitySchemes"]?.object.map(Array.init) ?? []
    let wanted =
      document["security"]?.array?.compactMap { $0.object?.keys }.filter { $0.count == 1 }.map { $0[0] } ?? []
    let ordered = wanted.compactMap { name in all.first { $0.key == name } } + all
    if let auth = ordered.compactMap({ Self.auth(schemas.resolved($0.value)) }).first {
      if all.count > 1 { report.append("securitySchemes: one of \(all.count) is taken; check auth.") }
      return auth
    }
    if !all.isEmpty { report.append("securitySchemes: none is of a kind that is known; add auth.") }
    return nil
  }

  private static func auth(_ scheme: JSONValue) -> JSONValue? {
    let token: JSONValue = ["env": "API_TOKEN"]
    switch (scheme["type"]?.string, scheme["scheme"]?.string?.lowercased(), scheme["in"]?.string) {
    case ("http", "bearer", _): return ["type": "bearer", "token": token]
    case ("http", "basic", _): return ["type": "basic", "user": "USER", "password": ["env": "API_PASSWORD"]]
    case ("apiKey", _, "header"):
      return scheme["name"]?.string.map { ["type": "header", "header": .init($0), "token": token] }
    case ("oauth2", _, _):
      guard let flow = scheme["flows"]?["clientCredentials"], let url = flow["tokenUrl"]?.string,
        url.hasPrefix("https://") || url.hasPrefix("http://")
      else { return nil }
      return [
        "type": "oauth", "tokenUrl": .init(url), "clientId": "CLIENT", "clientSecret": ["env": "API_CLIENT_SECRET"],
      ]
    default: return nil
    }
  }

  // MARK: Operations

  private mutating func add(_ operation: JSONValue, _ method: String, _ path: String, _ item: JSONValue) {
    let what = "\(method.uppercased()) \(path)"
    var draft = OpenAPIOperation(schemas: schemas, what: what, path: path)
    let own = operation["parameters"]?.array.map(Array.init) ?? []
    let shared = item["parameters"]?.array.map(Array.init) ?? []
    draft.take(parameters: own, then: shared)
    if let body = operation["requestBody"] { draft.take(body: schemas.resolved(body), isGet: method == "get") }
    draft.checkPath()
    report += draft.report
    guard draft.isUsable else { return report.append("\(what): the operation is left out.") }
    let summary = operation["summary"]?.string ?? operation["description"]?.string ?? ""
    let line = summary.split(whereSeparator: \.isNewline).first.map(String.init) ?? "Sends \(what)."
    let returns = result(of: operation)
    let json = draft.json(method: method, summary: line, returns: returns)
    let resource = Self.name(operation["tags"]?[0]?.string ?? Self.firstWord(path), or: "api")
    insert(json, as: Self.name(operation["operationId"]?.string ?? "\(method) \(path)", or: method), into: resource)
  }

  /// The schema of the first success whose answer is JSON.
  private func result(of operation: JSONValue) -> JSONValue? {
    let responses = operation["responses"]?.object.map(Array.init) ?? []
    for (status, response) in responses where status.hasPrefix("2") {
      let content = schemas.resolved(response)["content"]?.object.map(Array.init) ?? []
      if let schema = content.first(where: { $0.key.hasPrefix("application/json") || $0.key.contains("+json") })?.value[
        "schema"]
      {
        let inlined = schemas.inlined(schema)
        return inlined.object?.isEmpty == true ? nil : inlined
      }
    }
    return nil
  }

  private mutating func insert(_ json: JSONValue, as name: String, into resource: String) {
    if !resources.contains(where: { $0.name == resource }) { resources.append((resource, [])) }
    guard let index = resources.firstIndex(where: { $0.name == resource }) else { return }
    var (free, number) = (name, 2)
    while resources[index].operations.contains(where: { $0.name == free }) {
      free = "\(name)\(number)"
      number += 1
    }
    resources[index].operations.append((free, json))
  }

  private static func firstWord(_ path: String) -> String {
    path.split(separator: "/").first { !$0.hasPrefix("{") }.map(String.init) ?? ""
  }

  /// A text as part of a method's name: its words, each but the first with a capital.
  private static func name(_ text: String, or standard: String) -> String {
    let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    let first = words.first.map { $0.prefix(1).lowercased() + $0.dropFirst() } ?? ""
    let name = first + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    return name.first?.isLetter == true ? name : standard
  }
}
