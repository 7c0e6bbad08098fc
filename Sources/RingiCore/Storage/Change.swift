package import SQLite

/// One change of the store, to be made in a transaction with others.
package struct Change: Sendable {
  /// What it concerns as a whole, so that a newer change of the same makes this one superfluous; `nil` for what adds.
  let subject: String?
  let apply: @Sendable (Connection) throws -> Void

  package init(subject: String? = nil, _ apply: @escaping @Sendable (Connection) throws -> Void) {
    self.subject = subject
    self.apply = apply
  }
}
