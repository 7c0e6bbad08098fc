internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit
internal import RingiModel

/// What a plugin says of itself, in its answer to `initialize`.
struct PluginManifest: Sendable {
  struct Offer: Sendable {
    /// The method's name, without the instance.
    let name: String
    /// What the plugin calls it.
    let ownName: String
    let summary: String
    let params: Schema
    let result: Schema
    let isMutation: Bool
    /// Whether a library is called on the loop's thread for it.
    var isInline = false
  }

  /// The answer makes no sense; the next one of the same plugin would make no more.
  struct Mistake: Error, CustomStringConvertible {
    let description: String
  }

  static let maxMethods = 1000
  static let maxNameBytes = 128

  /// The plugin's own name and version.
  let name: String?
  let version: String?
  let offers: [Offer]
  let hasTasks: Bool
  let hasTaskContexts: Bool
  let settingsSchema: Schema?
  /// The answer as it came.
  let json: JSONValue

  /// The params of `initialize`.
  static func request(_ instance: String, _ settings: JSONValue) -> JSONValue {
    [
      "protocol": 1, "instance": JSONValue(instance), "settings": settings,
      "agent": ["name": "ringi", "version": JSONValue(Version.current)],
    ]
  }

  /// Reads what it says.
  ///
  /// - Parameters:
  ///   - json: An object.
  ///   - place: What this is, for messages.
  /// - Throws: ``Mistake``.
  init(_ json: JSONValue, from place: String = "Its answer to initialize") throws(Mistake) {
    do { try self.init(reading: json) } catch {
      throw Mistake(description: "\(place) can't be used: \(error.description).")
    }
  }

  private init(reading json: JSONValue) throws(Mistake) {
    guard json.object != nil else { throw Self.mistake("it takes an object, got \(json.kind.rawValue)") }
    if json["protocolVersion"] != nil, json["serverInfo"] != nil {
      throw Self.mistake("it is that of a server of the Model Context Protocol; \(Self.otherProtocol)")
    }
    self.json = json
    (name, version) = (json["name"]?.string, json["version"]?.string)
    hasTasks = try Self.flag(json, "tasks", "/tasks")
    hasTaskContexts = try Self.flag(json, "taskContext", "/taskContext")
    settingsSchema = try Self.schema(json, "settingsSchema", "/settingsSchema")
    let methods = json["methods"] ?? .emptyArray
    guard let list = methods.array, list.count <= Self.maxMethods else {
      throw Self.mistake("/methods: takes an array of at most \(Self.maxMethods) objects")
    }
    var offers: [Offer] = []
    var names: Set<String> = []
    for (index, method) in list.enumerated() {
      let offer = try Self.offer(method, "/methods/\(index)", hasTasks: hasTasks)
      guard names.insert(offer.name).inserted else {
        throw Self.mistake("/methods/\(index)/name: \(JSONValue(offer.name)) is there twice")
      }
      offers.append(offer)
    }
    self.offers = offers
  }

  /// What a plugin has said in another way.
  ///
  /// - Parameters:
  ///   - offers: Methods with names that differ.
  ///   - json: What tells whether it has changed.
  init(_ offers: [Offer], _ json: JSONValue) {
    (name, version, hasTasks, hasTaskContexts, settingsSchema) = (nil, nil, false, false, nil)
    (self.offers, self.json) = (offers, json)
  }

  /// What the file of a server of the Model Context Protocol says.
  private static let otherProtocol = "its file in plugins.d needs \"protocol\": \"mcp\""

  /// The refusal of `initialize`, with what helps where it comes from a server of the Model Context Protocol, which
  /// misses its own params.
  static func refused(_ error: RPCError) -> RPCError {
    guard error.code == -32602 || error.message.contains("protocolVersion") else { return error }
    var error = error
    let end = error.message.hasSuffix(".") ? "" : "."
    error.message += "\(end) If it is a server of the Model Context Protocol, \(otherProtocol)."
    return error
  }

  private static func mistake(_ what: String) -> Mistake {
    Mistake(description: what)
  }

  private static func offer(_ json: JSONValue, _ place: String, hasTasks: Bool) throws(Mistake) -> Offer {
    guard let name = json["name"]?.string, isName(name) else {
      throw mistake(
        "\(place)/name: takes a name of letters, digits, \".\", \"-\" and \"_\", \(maxNameBytes) bytes at most, got \(json["name"]?.shown ?? "none")"
      )
    }
    guard !["initialize", "shutdown"].contains(name), !(hasTasks && name.hasPrefix("tasks.")) else {
      throw mistake("\(place)/name: \(JSONValue(name)) is a word of the protocol; choose another")
    }
    let isMutation = try flag(json, "mutation", "\(place)/mutation")
    let isInline = try flag(json, "inline", "\(place)/inline")
    let params = try schema(json, "params", "\(place)/params") ?? .object([:], isOpen: true)
    return Offer(
      name: name, ownName: name, summary: json["summary"]?.string ?? "", params: params,
      result: try schema(json, "result", "\(place)/result") ?? .any, isMutation: isMutation, isInline: isInline)
  }

  private static func flag(_ json: JSONValue, _ key: String, _ place: String) throws(Mistake) -> Bool {
    guard let value = json[key], !value.isNull else { return false }
    guard let flag = value.bool else { throw mistake("\(place): takes true or false, got \(value.kind.rawValue)") }
    return flag
  }

  private static func schema(_ json: JSONValue, _ key: String, _ place: String) throws(Mistake) -> Schema? {
    guard let document = json[key], !document.isNull else { return nil }
    do throws(SchemaError) { return try Schema(json: document) } catch {
      throw mistake("\(place)\(error.pointer): \(error.message)")
    }
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= maxNameBytes && !name.hasPrefix("rpc.")
      && name.utf8.allSatisfy {
        (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || [0x2D, 0x2E, 0x5F].contains($0)
      }
  }

  /// Carries a call whose params and result are not looked into.
  typealias Passing = @Loop @Sendable (_ offer: Offer, _ params: JSONText, _ call: Call) async throws -> JSONText

  /// The methods as clients call them.
  ///
  /// - Parameters:
  ///   - instance: The name that comes before each.
  ///   - call: Carries a call to the plugin.
  ///   - pass: Carries one that is not looked into, where that can be.
  /// - Returns: The methods, in their order.
  func methods(
    of instance: String,
    _ call: @escaping @Loop @Sendable (_ offer: Offer, _ params: JSONValue, _ call: Call) async throws -> JSONValue,
    passing pass: Passing? = nil
  ) -> [Method] {
    offers.map { offer in
      var handler = Method.Handler.async { try await call(offer, $0, $1) }
      if let pass, offer.params.takesAnyObject, !offer.isMutation {
        handler = .passed { try await pass(offer, $0, $1) }
      }
      return Method(
        "\(instance).\(offer.name)", offer.summary, params: offer.params, result: offer.result,
        isMutation: offer.isMutation, handler: handler)
    }
  }
}
