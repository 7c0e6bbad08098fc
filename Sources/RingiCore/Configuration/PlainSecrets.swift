internal import Glibc
internal import JSON

/// Secrets that are written out in a file.
enum PlainSecrets {
  /// Warns of each secret that stands in a file which everybody may read.
  ///
  /// - Parameters:
  ///   - file: The file; the warnings go to it.
  ///   - schema: Which parts are secrets.
  ///   - pointer: The value that the schema is about.
  static func check(_ file: inout ConfigurationFile, _ schema: Schema, at pointer: JSONPointer) {
    guard let value = file.value[pointer: pointer], isOpen(file.path) else { return }
    for place in Set(places(in: value, schema.json, at: pointer)) {
      file.complain(
        at: place,
        "\(place.tokens.last ?? "") is a secret, and everybody on this machine can read the file: `chmod o-r` it, or "
          + "write {\"env\": …}, {\"file\": …}, {\"command\": …} or {\"credential\": …} instead",
        isWarning: true)
    }
  }

  private static func isOpen(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IROTH != 0
  }

  /// Where a value holds strings that its schema, a JSON Schema document, calls secret.
  private static func places(in value: JSONValue, _ schema: JSONValue, at pointer: JSONPointer) -> [JSONPointer] {
    if schema["x-secret"]?.bool == true { return value.string == nil ? [] : [pointer] }
    var found: [JSONPointer] = []
    for key in value.object?.keys ?? [] {
      guard let member = value[key], let inner = schema["properties"]?[key] ?? schema["additionalProperties"] else {
        continue
      }
      found += places(in: member, inner, at: pointer.appending(key))
    }
    if let items = schema["items"], let array = value.array {
      for index in array.indices { found += places(in: array[index], items, at: pointer.appending(index)) }
    }
    for choice in ["anyOf", "oneOf", "allOf"].flatMap({ schema[$0]?.array.map(Array.init) ?? [] }) {
      found += places(in: value, choice, at: pointer)
    }
    return found
  }
}
