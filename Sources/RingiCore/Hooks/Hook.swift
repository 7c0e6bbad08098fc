internal import EventLoop
package import JSON

/// What to do when an event happens; written by the agent's owner in hooks.d.
package struct Hook: Equatable, Sendable {
  package enum Action: Equatable, Sendable {
    /// A program and its arguments; no shell reads them.
    case run([String])
    /// A script for `/bin/sh -c`.
    case shell(String)
    /// A method of the agent; strings in the params may hold placeholders, see ``HookTemplate``.
    case call(method: String, params: JSONValue)

    package enum Kind: String, CaseIterable { case run, shell, call }

    package var kind: Kind {
      switch self {
      case .run: .run
      case .shell: .shell
      case .call: .call
      }
    }
  }

  package let name: String
  /// Globs over event types.
  package let types: [String]
  /// The `where` object, if there is one; see ``EventFilter``.
  package let conditions: JSONValue?
  package let action: Action
  /// The most that one attempt may take.
  package let timeout: Duration
  /// How many attempts may follow a failed first one.
  package let retries: Int
  /// How many deliveries may be under way at once; with more than one, a later event may be handled before an earlier.
  package let concurrency: Int
  /// Variables beyond the ones that every hook gets; these win.
  package let environment: [String: String]
  /// Where programs run; `nil` for the agent's own folder.
  package let directory: String?
  package let filter: EventFilter

  package init(
    name: String, on types: [String] = ["*"], where conditions: JSONValue? = nil, action: Action,
    timeout: Duration = .seconds(30), retries: Int = 5, concurrency: Int = 1, environment: [String: String] = [:],
    directory: String? = nil
  ) {
    self.name = name
    self.types = types
    self.conditions = conditions
    self.action = action
    self.timeout = timeout
    self.retries = retries
    self.concurrency = max(1, concurrency)
    self.environment = environment
    self.directory = directory
    filter = EventFilter(types: types, where: conditions)
  }
}
