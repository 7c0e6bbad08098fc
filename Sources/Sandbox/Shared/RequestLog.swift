package import HTTPServer
package import Timing

/// The last requests that a sandbox received, with secrets as they came, so that tests can see what was sent.
package struct RequestLog: Sendable {
  package struct Entry: Sendable {
    package let time: Timestamp
    package let request: ServerRequest
    /// The status answered; 0 when the connection was reset or left hanging.
    package let status: Int
  }

  private static let limit = 10_000
  package private(set) var entries: [Entry] = []

  mutating func add(_ entry: Entry) {
    if entries.count >= 2 * Self.limit { entries.removeFirst(Self.limit) }
    entries.append(entry)
  }

  mutating func clear() { entries = [] }
}
