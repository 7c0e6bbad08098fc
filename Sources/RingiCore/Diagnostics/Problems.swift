package import EventLoop

/// What is wrong now, for `agent.status`: one sentence a matter, gone when the matter is mended.
@Loop
package final class Problems {
  private var messages: [(matter: String, message: String)] = []

  package init() {}

  /// Notes a problem; a second report on the same matter replaces the first.
  package func report(_ matter: String, _ message: String) {
    resolve(matter)
    messages.append((matter, message))
  }

  package func resolve(_ matter: String) { messages.removeAll { $0.matter == matter } }

  /// Takes back all whose matter begins so.
  package func resolveAll(prefix: String) { messages.removeAll { $0.matter.hasPrefix(prefix) } }

  /// All of them, the oldest first.
  package var sentences: [String] { messages.map(\.message) }

  /// Those whose matter begins in none of these ways.
  package func sentences(without prefixes: String...) -> [String] {
    messages.filter { problem in !prefixes.contains { problem.matter.hasPrefix($0) } }.map(\.message)
  }

  /// Those whose matter begins in one of these ways.
  package func sentences(prefixes: String...) -> [String] {
    messages.filter { problem in prefixes.contains { problem.matter.hasPrefix($0) } }.map(\.message)
  }
}
