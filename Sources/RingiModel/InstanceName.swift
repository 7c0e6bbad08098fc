/// The names of plugin instances, which begin the names of their methods.
package enum InstanceName {
  /// The prefixes of the agent's own methods.
  private static let reserved: Set<String> = [
    "agent", "events", "hooks", "jobs", "phrases", "plugins", "rpc", "tasks",
  ]
  private static let maxBytes = 64

  /// Why a name can't be an instance's, and what to do: words to follow the name; `nil` when it can.
  package static func fault(in name: String) -> String? {
    if isReserved(name) { return "is the prefix of the agent's own methods; choose another" }
    if isValid(name) { return nil }
    return
      "can't begin the names of methods: it takes a letter, then letters, digits, - and _, \(maxBytes) in all at most"
  }

  /// Whether a name is the prefix of the agent's own methods.
  package static func isReserved(_ name: String) -> Bool { reserved.contains(name) }

  private static func isValid(_ name: String) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= maxBytes else { return false }
    return isLetter(first)
      && name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
