internal import Synchronization

/// What a server's threads noted, for the test to read.
package final class Notes<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  package init() {}

  package var all: [Element] { elements.withLock(\.self) }
  package func add(_ element: Element) { elements.withLock { $0.append(element) } }
}
