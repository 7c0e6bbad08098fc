package import EventLoop
internal import RingiKit

/// Which methods a listener's clients see and may call.
@Loop
package final class AccessList {
  private let globs: [Glob]?
  private let registry: Registry
  private var allowed: [Bool] = []
  private var generation = -1

  /// Makes a list.
  ///
  /// - Parameters:
  ///   - globs: Globs over method names; `nil` allows everything.
  ///   - registry: Whose methods they are about.
  package init(_ globs: [Glob]?, registry: Registry) {
    self.globs = globs
    self.registry = registry
  }

  /// Whether the method at an index of the registry's table may be called.
  @inline(__always)
  package func allows(_ index: Int) -> Bool {
    guard globs != nil else { return true }
    if generation != registry.generation { refresh() }
    return allowed[index]
  }

  /// Whether a method of this name could be called, if there were one.
  package func allows(_ name: String) -> Bool { globs?.contains { $0.matches(name) } ?? true }

  private func refresh() {
    generation = registry.generation
    allowed = registry.table.methods.map { method in
      globs?.contains { $0.matches(method.name) } ?? true
    }
  }
}
