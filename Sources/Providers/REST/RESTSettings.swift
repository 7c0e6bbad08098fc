internal import RingiKit

/// What a plugins.d file says about a service: all that is known of it.
struct RESTSettings {
  let url: HTTPURL
  let auth: RESTAuth
  /// Headers of every request.
  let headers: [(name: String, value: String)]
  let names: RESTNames
  let errors: RESTErrors
  let operations: [RESTOperation]
  let tasks: RESTTaskMapping?
  let connection: ConnectionSettings

  /// - Throws: `SettingsError` for what the schema cannot say.
  init(_ json: JSONValue, directory: String) throws(SettingsError) {
    let settings = SettingsPart(json)
    url = try settings.url("url")
    auth = try RESTAuth(settings.part("auth"), below: url)
    headers = try Self.headers(settings)
    names = settings.text("names").flatMap(RESTNames.init) ?? .asIs
    errors = try RESTErrors(settings.part("errors"))
    operations = try Self.operations(settings, names)
    let all = operations
    tasks = try settings.part("tasks").map { part throws(SettingsError) in
      try RESTTaskMapping(part, operations: all)
    }
    connection = try ConnectionSettings(json, directory: directory)
  }

  private static func headers(_ settings: SettingsPart) throws(SettingsError) -> [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    for (name, part) in settings.members("headers") {
      let value = part.json.string ?? ""
      guard HTTPHeaders.isName(name) else { throw part.fault("\(name.debugDescription) can't be the name of a header") }
      guard !["content-length", "transfer-encoding"].contains(name.lowercased()) else {
        throw part.fault("\(name) is told of each request as it is; take it out")
      }
      guard HTTPHeaders.isValue(value) else { throw part.fault("\(name): it takes one line of text") }
      headers.append((name, value))
    }
    return headers
  }

  private static func operations(_ settings: SettingsPart, _ names: RESTNames) throws(SettingsError) -> [RESTOperation]
  {
    var operations: [RESTOperation] = []
    for (resource, part) in settings.members("resources") {
      guard isName(resource) else { throw part.fault("the name \(resource) can't be part of a method's") }
      for (name, operation) in part.members("operations") {
        guard isName(name) else { throw operation.fault("the name \(name) can't be part of a method's") }
        let base = part.text("path") ?? ""
        operations.append(try RESTOperation("\(resource).\(name)", below: base, operation, names: names))
      }
    }
    return operations
  }

  private static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, (0x61...0x7A).contains(first | 0x20) else { return false }
    return name.utf8.allSatisfy {
      (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == 0x5F || $0 == 0x2D
    }
  }
}
