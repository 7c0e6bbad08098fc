internal import JSON

/// What a plugin instance is made from: a built-in provider, a native library or an executable.
enum PluginOrigin {
  private static let kinds = ["provider", "library", "command"]

  /// Reads the origin, and checks what goes with it.
  ///
  /// - Parameters:
  ///   - file: The file; complaints go to it.
  ///   - providers: The settings' schemas of the built-in providers, by name.
  /// - Returns: The provider's name, the library's path or the command's first word; `nil` with a complaint.
  static func read(_ file: inout ConfigurationFile, _ providers: [String: Schema]) -> String? {
    let given = kinds.filter { file.value[$0] != nil }
    guard let kind = given.first else {
      file.complain(at: .root, "it names no plugin; give one of provider, library and command")
      return nil
    }
    if given.count > 1 {
      file.complain(
        at: JSONPointer.root.appending(given[1]), aboutKey: true,
        "\(given.joined(separator: " and ")) exclude each other; keep one")
      return nil
    }
    checkExtras(of: kind, &file)
    let value = file.value[kind]
    guard let name = value?.string ?? value?[0]?.string, !name.isEmpty else { return nil }
    if kind == "provider" {
      checkProvider(name, &file, providers)
    } else {
      file.refuseNUL(at: JSONPointer.root.appending(kind))
      checkProtocol(&file)
    }
    return name
  }

  private static func checkExtras(of kind: String, _ file: inout ConfigurationFile) {
    for (key, owners) in [
      ("protocol", ["command"]), ("allow", ["library", "command"]), ("elicitation", ["command"]), ("env", ["command"]),
      ("limits", ["command"]),
    ] {
      guard file.value[key] != nil, !owners.contains(kind) else { continue }
      file.complain(
        at: JSONPointer.root.appending(key), aboutKey: true,
        "\(key) goes with \(owners.joined(separator: " or ")), not with \(kind)")
    }
  }

  private static func checkProvider(
    _ name: String, _ file: inout ConfigurationFile, _ providers: [String: Schema]
  ) {
    guard let schema = providers[name] else {
      let known = providers.keys.sorted()
      let hint =
        Suggestion.nearest(to: name, among: known).map { "did you mean \"\($0)\"?" }
        ?? "known are \(known.joined(separator: ", "))"
      file.complain(
        at: JSONPointer.root.appending("provider"), "there is no provider \(JSONValue(name)); \(hint)")
      return
    }
    let pointer = JSONPointer.root.appending("settings")
    guard file.value["settings"].map({ $0.object != nil }) ?? true else { return }
    file.check(schema, at: pointer)
    PlainSecrets.check(&file, schema, at: pointer)
  }

  /// Keys that would have no effect are more likely a mistake than a wish.
  private static func checkProtocol(_ file: inout ConfigurationFile) {
    guard file.value["command"] != nil else { return }
    let isMCP = file.value["protocol"]?.string == PluginProtocol.mcp.rawValue
    if !isMCP {
      refuse(
        "elicitation", "elicitation goes with \"protocol\": \"mcp\"; a plugin that speaks ringi asks nothing", &file)
      return
    }
    let server = "a server of the Model Context Protocol"
    if file.value["settings"]?.object?.isEmpty == false {
      refuse("settings", "\(server) takes no settings; give it arguments in command, or variables in env", &file)
    }
    refuse("allow", "\(server) calls nothing of the agent's, so there is nothing to allow; remove it", &file)
    for key in ["poll", "firstPoll", "settleAfter"] {
      refuse(key, "\(server) has no tasks to poll for; remove it, and let jobs.d call a tool at its times", &file)
    }
  }

  private static func refuse(_ key: String, _ why: String, _ file: inout ConfigurationFile) {
    guard file.value[key] != nil else { return }
    file.complain(at: JSONPointer.root.appending(key), aboutKey: true, why)
  }
}
