internal import RingiKit

/// Reads some resources again and again, and says what has changed since the last time, which outlives the agent.
@Loop
final class CuramWatch: Watch {
  nonisolated static let eventType = EventType("record-changed")
  /// The most resources of one instance.
  nonisolated static let limit = 100
  /// The longest JSON of a resource, in bytes; with what is kept beside it, it has to fit the instance's state.
  private static let longest = 1_000_000
  /// From so many bytes on the steps of a patch are no easier to read than the whole.
  private static let longSteps = 4096
  private static let indexKey = "watch"

  private let paths: [CuramPath]
  private let api: CuramAPI
  private let context: ProviderContext
  /// What each looked like, as far as it is known: as kept, or newer when that could not be kept.
  private var seen: [CuramPath: JSONValue] = [:]
  /// Those whose last look could not be kept.
  private var unkept: Set<CuramPath> = []
  private var isLoaded = false

  init(_ paths: [CuramPath], api: CuramAPI, context: ProviderContext) {
    self.paths = paths
    self.api = api
    self.context = context
  }

  /// Looks at all of them, also when the service refuses one: nothing is concluded of that one then.
  func look() async throws -> JSONValue {
    try await load()
    var changed = 0
    var failures: [any Error] = []
    for path in paths {
      do {
        if try await look(at: path) { changed += 1 }
      } catch let error as RPCError where ["not-found", "backend-error"].contains(error.kind) {
        failures.append(error)
      }
    }
    if let failure = failures.first { throw failure }
    return ["watched": JSONValue(paths.count), "changed": JSONValue(changed)]
  }

  private func look(at path: CuramPath) async throws -> Bool {
    let value = try await api.read(path)
    guard value.utf8.count <= Self.longest else {
      throw api.failure.malformed("\(path.text) is too long to be watched, over \(Self.longest) bytes")
    }
    let before = seen[path]
    guard before != value || unkept.contains(path) else { return false }
    // Said before it is kept: a crash between the two says it twice rather than never.
    if let before, before != value { try await publish(path, Self.patch(from: before, to: value)) }
    seen[path] = value
    unkept.insert(path)
    try await context.state.set(Self.key(path), ["path": JSONValue(path.text), "value": value])
    unkept.remove(path)
    return before != nil && before != value
  }

  /// What has changed; the whole record where that is shorter than long steps.
  private static func patch(from old: JSONValue, to new: JSONValue) -> JSONValue {
    let steps = JSONPatch(from: old, to: new).json
    let length = steps.utf8.count
    return length > longSteps && length > new.utf8.count ? JSONPatch([.replace(.root, new)]).json : steps
  }

  private func publish(_ path: CuramPath, _ patch: JSONValue) async throws {
    var data: JSONValue = ["path": JSONValue(path.text), "patch": patch]
    if let query = path.queryJSON { data = data.setting("query", to: query) }
    _ = try await context.publish(EventDraft(Self.eventType, subject: path.text, data: data))
  }

  // MARK: State

  /// Reads what is kept, and takes out what is not watched any more.
  private func load() async throws {
    guard !isLoaded else { return }
    let keys = paths.map(Self.key)
    let kept = try await context.state.get(Self.indexKey)?.array?.compactMap(\.string) ?? []
    for key in kept where !keys.contains(key) { try await context.state.set(key, nil) }
    if kept != keys { try await context.state.set(Self.indexKey, JSONValue(array: keys.map { JSONValue($0) })) }
    for (path, key) in zip(paths, keys) { seen[path] = try await context.state.get(key)?["value"] }
    isLoaded = true
  }

  /// A name that is short, however long path and query are.
  private static func key(_ path: CuramPath) -> String {
    let name: JSONValue = [JSONValue(path.text), path.queryJSON ?? .null]
    return "watch.\(String(Fingerprint.of(name.utf8), radix: 16))"
  }
}
