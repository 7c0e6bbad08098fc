internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiModel

/// The conversation with one run of a server of the Model Context Protocol.
@Loop
final class MCPSession {
  /// What a session needs of its plugin.
  struct Surroundings {
    var instance: String
    /// Whether what the server wants to know is answered.
    var hasElicitation: Bool
    var clock: any LoopClock
    /// How long an answer may take, and a list with all its pages.
    var limit: @Loop () -> Duration
    /// Takes a sentence for the log.
    var warn: @Loop (String) -> Void
    /// Takes the tools whenever the server has others.
    var changed: @Loop (PluginManifest) -> Void
  }

  /// The revisions that begin with a handshake, oldest first.
  nonisolated static let handshakes = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
  /// The revision without: each request says for itself what it is.
  nonisolated static let stateless = "2026-07-28"

  private static let client: JSONValue = ["name": "ringi", "version": JSONValue(Version.current)]
  private static let maxPages = 200
  /// How often a tool may want input before it goes on.
  private static let maxRounds = 10
  /// From one list to the next, however often the server says that there is another.
  private static let listPause = Duration.seconds(1)
  /// The longest from one end of the notices to the next try.
  private static let maxListenPause = Duration.seconds(60)

  private let process: RPCProcess
  private let surroundings: Surroundings
  private var capabilities: JSONValue = .emptyObject
  private var isStateless = false
  /// What the server had against a handshake.
  private var refusal: RPCError?
  private var isOpen = false
  private var isListStale = false
  private var listing: Task<Void, any Error>?
  private var listening: Task<Void, any Error>?

  init(_ process: RPCProcess, _ surroundings: Surroundings) {
    (self.process, self.surroundings) = (process, surroundings)
  }

  // MARK: The beginning

  /// Agrees on a revision and asks for the tools.
  ///
  /// - Returns: The tools.
  /// - Throws: `UnusablePlugin` when there is no revision that both speak; `RPCError`; `CancellationError`.
  func open() async throws -> PluginManifest {
    try await shakeHands()
    if isStateless, capabilities["tools"]?["listChanged"] == true {
      listening = Loop.task { [self] in try await listen() }
    }
    let manifest = try await firstList()
    isOpen = true
    if isListStale { listChanged() }
    return manifest
  }

  private func firstList() async throws -> PluginManifest {
    do {
      return try await list()
    } catch let error as RPCError {
      guard let refusal, Self.isAnswer(error) else { throw error }
      throw RPCError.backendError(
        provider: surroundings.instance,
        message: "The server refuses initialize (\(refusal.message)), and tools/list without it (\(error.message)).")
    }
  }

  private func shakeHands(offering offered: String = handshakes[handshakes.count - 1]) async throws {
    let answer: JSONValue
    do {
      answer = try await process.call(
        "initialize",
        ["protocolVersion": JSONValue(offered), "capabilities": offers, "clientInfo": Self.client],
        within: surroundings.limit())
    } catch let error as RPCError where Self.isAnswer(error) {
      return try await goOn(after: error, offered)
    }
    guard let revision = answer["protocolVersion"]?.string else {
      throw UnusablePlugin(description: "Its answer to initialize can't be used: it has no protocolVersion.")
    }
    if revision == Self.stateless { return try await discover() }
    guard Self.handshakes.contains(revision) else { throw Self.strange([JSONValue(revision)]) }
    capabilities = answer["capabilities"] ?? .emptyObject
    process.notify("notifications/initialized", [:])
  }

  /// A server that refuses a handshake may want another revision of it, or none at all.
  private func goOn(after error: RPCError, _ offered: String) async throws {
    if let supported = error.details["supported"]?.array, !supported.contains(JSONValue(Self.stateless)) {
      let common = Self.handshakes.last { supported.contains(JSONValue($0)) }
      guard let common, common != offered else { throw Self.strange(Array(supported)) }
      return try await shakeHands(offering: common)
    }
    refusal = error
    try await discover()
  }

  /// Asks a server without handshakes what it has; where it doesn't tell, its list of tools does.
  private func discover() async throws {
    isStateless = true
    do {
      let answer = try await call("server/discover", [:])
      if let versions = answer["supportedVersions"]?.array { try check(Array(versions)) }
      capabilities = answer["capabilities"] ?? .emptyObject
    } catch let error as RPCError where Self.isAnswer(error) {
      if let versions = error.details["supported"]?.array { try check(Array(versions)) }
    }
  }

  private func check(_ versions: [JSONValue]) throws(UnusablePlugin) {
    guard versions.contains(JSONValue(Self.stateless)) else { throw Self.strange(versions) }
  }

  private static func strange(_ revisions: [JSONValue]) -> UnusablePlugin {
    let theirs = revisions.prefix(10).map(\.shown).joined(separator: ", ")
    return UnusablePlugin(
      description:
        "It speaks the revision \(theirs) of the Model Context Protocol; the agent speaks \((handshakes + [stateless]).joined(separator: ", "))."
    )
  }

  /// The agent's own capabilities.
  private var offers: JSONValue { surroundings.hasElicitation ? ["elicitation": MCPElicitation.capability] : [:] }

  /// Whether an error is the server's own word.
  private static func isAnswer(_ error: RPCError) -> Bool { error.details["provider"] != nil }

  private func call(_ method: String, _ params: JSONValue) async throws -> JSONValue {
    try await process.call(method, dressed(params), within: surroundings.limit())
  }

  /// Params with what the revision wants in each request.
  private func dressed(_ params: JSONValue) -> JSONValue {
    guard isStateless else { return params }
    let meta: JSONValue = [
      "io.modelcontextprotocol/protocolVersion": JSONValue(Self.stateless),
      "io.modelcontextprotocol/clientInfo": Self.client, "io.modelcontextprotocol/clientCapabilities": offers,
      // A server that has nothing to log passes over it.
      "io.modelcontextprotocol/logLevel": "info",
    ]
    return params.setting("_meta", to: meta)
  }

  /// Waits for a sign of life; a refusal is one, too.
  ///
  /// - Throws: `RPCError` without one; `CancellationError`.
  func ping() async throws {
    do {
      _ = try await call("ping", [:])
    } catch let error as RPCError where Self.isAnswer(error) {}
  }

  // MARK: Tools

  /// Calls a tool, and again as often as it wants input first.
  ///
  /// - Parameters:
  ///   - tool: The tool, as the server calls it.
  ///   - arguments: Its arguments.
  ///   - elicit: Answers the params of `elicitation/create`; `nil` where nothing is answered.
  ///   - send: Sends the params of `tools/call`, with the time that is left for the answer.
  /// - Returns: The result of `tools/call`.
  /// - Throws: `RPCError` (backend-error where the tool wants what the agent can't give, unavailable where its time is
  ///   over); what `send` throws.
  func call(
    _ tool: String, _ arguments: JSONValue, _ elicit: (JSONValue) -> JSONValue?,
    _ send: (_ params: JSONValue, _ limit: Duration) async throws -> JSONValue
  ) async throws -> JSONValue {
    let first = dressed(["name": JSONValue(tool), "arguments": arguments])
    let (began, limit) = (surroundings.clock.uptime, surroundings.limit())
    var params = first
    for _ in 0..<Self.maxRounds {
      let left = limit - .nanoseconds(surroundings.clock.uptime - began)
      guard left > .zero else {
        throw RPCError.plugin(surroundings.instance, hasNotAnswered: "tools/call", within: limit)
      }
      let answer = try await send(params, left)
      guard answer["resultType"] == "input_required" else { return answer }
      params = first.setting("inputResponses", to: try inputs(answer, tool, elicit))
        .setting("requestState", to: answer["requestState"])
    }
    throw inputRequired("The tool \(JSONValue(tool)) asked for input \(Self.maxRounds) times, and for more.")
  }

  /// What a tool wants to know before it goes on; `nil` where it only wants to be called again.
  private func inputs(
    _ answer: JSONValue, _ tool: String, _ elicit: (JSONValue) -> JSONValue?
  ) throws(RPCError) -> JSONValue? {
    guard let requests = answer["inputRequests"]?.object, !requests.isEmpty else {
      guard answer["requestState"] != nil else {
        throw PeerError.odd("input_required and nothing that it requires", from: surroundings.instance)
      }
      return nil
    }
    var responses: [(String, JSONValue)] = []
    for (key, request) in requests {
      guard request["method"] == "elicitation/create", let response = elicit(request["params"] ?? .emptyObject) else {
        throw inputRequired(
          "The tool \(JSONValue(tool)) asks for input (\(request["method"] ?? .null)) that the agent has no way to give."
        )
      }
      responses.append((key, response))
    }
    return JSONValue(object: responses)
  }

  private func inputRequired(_ message: String) -> RPCError {
    .backendError(provider: surroundings.instance, code: "input-required", message: message)
  }

  private func list() async throws -> PluginManifest {
    let tools = try await surroundings.clock.withTimeout(surroundings.limit()) { [self] in try await pages() }
    return PluginManifest(MCPTools.offers(tools, surroundings.warn), JSONValue(array: tools))
  }

  private func pages() async throws -> [JSONValue] {
    var tools: [JSONValue] = []
    var names: Set<String?> = []
    var cursors: Set<String> = []
    var cursor: String?
    repeat {
      let page = try await page(cursor)
      guard let part = page["tools"]?.array else {
        throw PeerError.odd("no array of tools", from: surroundings.instance)
      }
      tools += part.filter { names.insert($0["name"]?.string).inserted }
      cursor = page["nextCursor"]?.string
      guard let next = cursor else { break }
      if !cursors.insert(next).inserted || cursors.count >= Self.maxPages || tools.count > PluginManifest.maxMethods {
        surroundings.warn("The server's list of tools has no end; it was cut after \(tools.count) of them.")
        break
      }
    } while cursor != nil
    return Array(tools.prefix(PluginManifest.maxMethods))
  }

  private func page(_ cursor: String?) async throws -> JSONValue {
    do {
      return try await call("tools/list", cursor.map { ["cursor": JSONValue($0)] } ?? [:])
    } catch let error as RPCError {
      // Who has no tools need not know the method.
      guard !isStateless, capabilities["tools"] == nil, PeerError.isUnknownMethod(error) else { throw error }
      return ["tools": []]
    }
  }

  /// Asks a server without handshakes to tell of its changes, and again whenever that ends; what changed in between was
  /// not told.
  private func listen() async throws {
    var pause = Self.listPause
    while true {
      let began = surroundings.clock.uptime
      do {
        _ = try await process.call(
          "subscriptions/listen", dressed(["notifications": ["toolsListChanged": true]]), within: nil)
      } catch let error as RPCError {
        if PeerError.isUnknownMethod(error) { return }
      }
      let isLong = Duration.nanoseconds(surroundings.clock.uptime - began) >= Self.maxListenPause
      pause = isLong ? Self.listPause : pause
      try await surroundings.clock.sleep(for: pause)
      pause = min(pause * 2, Self.maxListenPause)
      listChanged()
    }
  }

  /// The server says that it has other tools now.
  func listChanged() {
    isListStale = true
    guard isOpen, listing == nil else { return }
    listing = Loop.task { [self] in
      defer { listing = nil }
      while isListStale {
        isListStale = false
        do {
          surroundings.changed(try await list())
        } catch {
          if Task.isCancelled { throw error }
          surroundings.warn("The server's tools stay as they were, its new list can't be had: \(error)")
        }
        try await surroundings.clock.sleep(for: Self.listPause)
      }
    }
  }

  /// Ends what goes on here by itself.
  func close() {
    isOpen = false
    listing?.cancel()
    listening?.cancel()
  }
}
