internal import JSON

/// `env` of a file: variables for a program.
enum EnvironmentVariables {
  /// The variables of a value that was checked.
  static func read(_ value: JSONValue?) -> [String: String] {
    Dictionary(
      (value?.object.map(Array.init) ?? []).map { ($0.key, $0.value.string ?? "") }, uniquingKeysWith: { $1 })
  }
}

extension ConfigurationFile {
  /// Complains of variables that no program could get.
  mutating func checkVariables(at place: JSONPointer) {
    refuseNUL(at: place)
    for key in value[pointer: place]?.object?.keys ?? []
    where key.isEmpty || key.utf8.contains(where: { $0 == 0x3D || $0 == 0 }) {
      complain(
        at: place.appending(key), aboutKey: true,
        "\(JSONValue(key)) can't be a variable's name: it is empty, or has = or NUL in it")
    }
  }
}
