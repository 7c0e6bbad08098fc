internal import RingiKit

/// What a plugins.d file says about one installation.
struct CuramSettings {
  enum CSRF: String, CaseIterable { case auto, on, off }

  /// The two places where versions of the product end a session.
  static let logouts = ["/logout", "/logout.jsp"]

  let url: HTTPURL
  let user: String
  let password: Secret
  let loginFields: [(String, String)]
  let referer: String
  let csrf: CSRF
  let authCookies: Set<String>
  /// In the order in which they are tried.
  let logouts: [String]
  let language: String
  let watched: [CuramPath]
  /// nil where the site has no resource for tasks.
  let tasks: Tasks?
  let connection: ConnectionSettings

  /// - Throws: `SettingsError` for what the schema cannot say.
  init(_ json: JSONValue, directory: String) throws(SettingsError) {
    url = try HTTPURL(setting: "url", of: json)
    guard url.origin.scheme == "https" || url.origin.isLoopback else {
      throw SettingsError(
        at: .root.appending("url"),
        "url: \(url); it takes https, since the service's cookies are for secure connections alone")
    }
    guard let password = json["password"].flatMap(Secret.init) else {
      throw SettingsError(at: .root.appending("password"), "password is missing")
    }
    user = json["user"]?.string ?? ""
    self.password = password
    loginFields = json["loginFields"]?.object?.map { ($0.key, $0.value.string ?? "") } ?? []
    referer = json["referer"]?.string ?? ""
    csrf = json["csrf"]?.string.flatMap(CSRF.init) ?? .auto
    authCookies = Set(json["authCookies"]?.array?.compactMap(\.string) ?? [])
    let first = json["logout"]?.string ?? Self.logouts[0]
    logouts = [first] + Self.logouts.filter { $0 != first }
    language = json["language"]?.string ?? ""
    watched = try Self.watched(json["watch"])
    tasks = try json["tasks"].map { json throws(SettingsError) in try Tasks(json) }
    guard tasks == nil || watched.isEmpty else {
      throw SettingsError(
        at: .root.appending("watch"), "watch stands beside tasks; one instance polls for one of them, so use two")
    }
    connection = try ConnectionSettings(json, directory: directory)
  }

  /// Where a site's own resource for tasks is, since the product has none that is documented.
  struct Tasks {
    static let schema = Schema.object(
      [
        "path": .string("The list below /v1, such as acme/tasks.", minLength: 1, maxLength: 1024),
        "query": .map("The list's query, with which it holds the open tasks.", of: .string())
          .default(standardQuery),
        "close": .string("What is appended to a task's path for the POST that closes it.", minLength: 1)
          .default(JSONValue(standardClose)),
        "closed": .array(
          "The words of status for a task that is done; OPEN waits, and any other does not wait now.",
          of: .string(minLength: 1), minItems: 1
        ).default(JSONValue(array: standardClosed.map { JSONValue($0) })),
      ], required: ["path"]
    ).described("The site's own resource for tasks, whose open ones wait for a person.")

    private static let standardQuery: JSONValue = ["status": "OPEN"]
    private static let standardClose = "close"
    private static let standardClosed = ["CLOSED"]

    let list: CuramPath
    let closed: Set<String>
    private let path: String
    private let close: String

    /// - Throws: `SettingsError` for a path that is none.
    init(_ json: JSONValue) throws(SettingsError) {
      path = json["path"]?.string ?? ""
      close = json["close"]?.string ?? Self.standardClose
      closed = Set(json["closed"]?.array?.compactMap(\.string) ?? Self.standardClosed)
      do throws(RPCError) {
        list = try CuramPath(path, query: json["query"] ?? Self.standardQuery)
        _ = try CuramPath(close)
      } catch {
        throw SettingsError(at: .root.appending("tasks"), error.message)
      }
    }

    func item(_ id: String) throws(RPCError) -> CuramPath { try CuramPath(path, id) }

    func closing(_ id: String) throws(RPCError) -> CuramPath { try CuramPath(path, id, close) }
  }

  private static func watched(_ json: JSONValue?) throws(SettingsError) -> [CuramPath] {
    var paths: [CuramPath] = []
    let items: [JSONValue] = json?.array.map(Array.init) ?? []
    for (index, item) in items.enumerated() {
      let place = JSONPointer.root.appending("watch").appending(index)
      let path: CuramPath
      do throws(RPCError) {
        path = try CuramPath(item["path"]?.string ?? "", query: item["query"])
      } catch {
        throw SettingsError(at: place.appending("path"), error.message)
      }
      guard !paths.contains(path) else { throw SettingsError(at: place, "watch has \(path.text) twice") }
      paths.append(path)
    }
    return paths
  }
}
