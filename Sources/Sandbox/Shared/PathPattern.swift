/// A path in which `*` stands for one segment and a last `**` for all that follow.
package struct PathPattern: Sendable, Equatable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package func matches(_ segments: some Collection<String>) -> Bool {
    var rest = segments[...]
    let parts = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if part == "**", index == parts.count - 1 { return true }
      guard let segment = rest.popFirst(), part == "*" || part == segment else { return false }
    }
    return rest.isEmpty
  }
}
