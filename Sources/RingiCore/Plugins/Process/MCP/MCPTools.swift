internal import JSON
internal import RingiKit

/// A server's tools as methods.
enum MCPTools {
  /// Reads what a server lists; a tool that can't be used is left out.
  ///
  /// - Parameters:
  ///   - tools: The list.
  ///   - warn: Takes a sentence about each tool that is left out.
  /// - Returns: Methods with names that differ.
  static func offers(_ tools: [JSONValue], _ warn: (String) -> Void) -> [PluginManifest.Offer] {
    let names = names(tools.compactMap { $0["name"]?.string })
    var taken: Set<String> = []
    return tools.compactMap { tool in
      guard let ownName = tool["name"]?.string, let name = names[ownName] else {
        warn("A tool of the server was left out: it has no name.")
        return nil
      }
      do throws(SchemaError) {
        let offer = try offer(tool, ownName, name)
        if taken.insert(name).inserted { return offer }
        warn("The tool \(JSONValue(ownName)) was left out: its name is the method name of another.")
      } catch {
        warn("The tool \(JSONValue(ownName)) was left out: its inputSchema\(error.pointer): \(error.message)")
      }
      return nil
    }
  }

  private static func offer(
    _ tool: JSONValue, _ ownName: String, _ name: String
  ) throws(SchemaError) -> PluginManifest.Offer {
    let input = tool["inputSchema"] ?? .null
    let hints = tool["annotations"]
    return PluginManifest.Offer(
      name: name, ownName: ownName, summary: tool["description"]?.string ?? tool["title"]?.string ?? "",
      params: input.isNull ? .object([:], isOpen: true) : try Schema(json: input),
      // A result is not checked, so what can't be read of its schema keeps nobody from calling the tool.
      result: tool["outputSchema"].flatMap { try? Schema(json: $0) } ?? .any,
      isMutation: hints?["readOnlyHint"] == false || hints?["destructiveHint"] == true && hints?["readOnlyHint"] != true
    )
  }

  // MARK: Names

  /// The method names of tools: a tool's own where it can be one, else the nearest, with the name's fingerprint where
  /// another tool comes to the same.
  static func names(_ tools: [String]) -> [String: String] {
    let all = Set(tools)
    let counts = Dictionary(all.map { (safe($0), 1) }, uniquingKeysWith: +)
    return Dictionary(
      uniqueKeysWithValues: all.map { tool in
        let name = safe(tool)
        let isExact = name == tool
        let isAlone = counts[name] == 1 && tool.utf8.count <= PluginManifest.maxNameBytes
        return (tool, !tool.isEmpty && (isExact || isAlone) ? name : "\(name.prefix(100))-\(fingerprint(tool))")
      })
  }

  private static func safe(_ tool: String) -> String {
    var name = ""
    for character in tool.unicodeScalars.prefix(PluginManifest.maxNameBytes) {
      let isKept =
        character.isASCII && (character.properties.isAlphabetic || "0123456789.-_".unicodeScalars.contains(character))
      name.unicodeScalars.append(isKept ? character : "_")
    }
    return name
  }

  private static func fingerprint(_ tool: String) -> String {
    let digits = String(Fingerprint.of(Array(tool.utf8)), radix: 16)
    return String((String(repeating: "0", count: 16 - digits.count) + digits).prefix(8))
  }
}
