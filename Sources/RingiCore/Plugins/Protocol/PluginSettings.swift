internal import EventLoop
internal import JSON
internal import RingiKit

/// The settings of a plugin, checked against the schema that the plugin gives.
enum PluginSettings {
  /// Finds what is wrong with them.
  ///
  /// - Parameters:
  ///   - file: What plugins.d says.
  ///   - schema: What the plugin takes.
  /// - Returns: The problems, with their places in the file as it is now.
  static func check(_ file: PluginFile, _ schema: Schema) -> [ConfigurationProblem] {
    let name = String(file.path.dropFirst(file.directory.count + 1))
    var text = ConfigurationFile(name, in: file.directory)
    let place = JSONPointer.root.appending("settings")
    guard text.isUsable, (text.value["settings"] ?? .emptyObject) == file.settings else {
      // It has changed since, and its places with it.
      return schema.validate(file.settings).map {
        ConfigurationProblem(file: file.path, message: "settings\($0.pointer): \($0.message)")
      }
    }
    text.check(schema, at: place)
    PlainSecrets.check(&text, schema, at: place)
    return text.problems
  }

  /// The settings with the values of the secrets that the schema marks.
  ///
  /// - Throws: `RPCError` (login-required) when one can't be read.
  @Loop
  static func resolve(
    _ settings: JSONValue, _ schema: Schema, _ readSecret: @Loop (Secret) async throws -> String
  ) async throws -> JSONValue {
    var resolved = settings
    for place in Set(SecretPlaces.find(in: settings, schema.json)) {
      guard let secret = settings[pointer: place].flatMap({ Secret($0) }) else { continue }
      resolved = resolved.replacing(at: place.tokens[...], with: JSONValue(try await readSecret(secret)))
    }
    return resolved
  }
}
