internal import JSON

/// The names of plugin instances, which begin the names of their methods.
enum InstanceName {
  /// The prefixes of the agent's own methods.
  private static let reserved: Set<String> = [
    "agent", "events", "hooks", "jobs", "phrases", "plugins", "rpc", "tasks",
  ]
  private static let maxBytes = 64

  /// The name that a file of plugins.d claims; what can't be one is complained of.
  static func read(_ file: inout ConfigurationFile) -> String {
    let name = file.value["name"]?.string ?? file.name
    if reserved.contains(name) {
      file.complain(
        at: place(in: file), "the name \(JSONValue(name)) is the prefix of the agent's own methods; choose another")
    } else if !isValid(name) {
      file.complain(
        at: place(in: file),
        "the name \(JSONValue(name)) can't begin the names of methods: it takes a letter, then letters, digits, - and "
          + "_, \(maxBytes) in all at most; rename the file, or set \"name\"")
    }
    return name
  }

  /// Where a file claims its name.
  static func place(in file: ConfigurationFile) -> JSONPointer {
    file.value["name"] == nil ? .root : JSONPointer.root.appending("name")
  }

  private static func isValid(_ name: String) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= maxBytes else { return false }
    return isLetter(first)
      && name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
