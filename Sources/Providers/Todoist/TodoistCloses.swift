internal import RingiKit

/// The commands that close tasks, by what they close, until their outcome is known.
///
/// The service carries out a command once, however often it comes. Kept before it is sent, the same one can be sent again
/// after any trouble, a crash of the agent included, and no occurrence of a recurring task is skipped.
@Loop
final class TodoistCloses {
  static let key = "closes"
  /// More closes of unknown outcome than there will ever be.
  private static let most = 100

  private let state: PluginState

  init(_ state: PluginState) { self.state = state }

  /// The command that was sent for a task, or an occurrence of one, and whose outcome is open.
  func earlier(for key: TaskKey) async throws -> String? {
    try await kept.first { $0.0 == key.text }?.1.string
  }

  /// A new command.
  ///
  /// - Throws: `RPCError` (unavailable) when it can't be kept; it must not be sent then.
  func make(for key: TaskKey) async throws -> String {
    let command = RandomID.make()
    let all = try await kept.filter { $0.0 != key.text } + [(key.text, JSONValue(command))]
    try await state.set(Self.key, JSONValue(object: Array(all.suffix(Self.most))))
    return command
  }

  /// Forgets a command whose outcome is known.
  func settle(_ key: TaskKey) async throws {
    let rest = try await kept.filter { $0.0 != key.text }
    try await state.set(Self.key, rest.isEmpty ? nil : JSONValue(object: rest))
  }

  private var kept: [(String, JSONValue)] {
    get async throws { try await state.get(Self.key)?.object.map { $0.map { ($0.key, $0.value) } } ?? [] }
  }
}
