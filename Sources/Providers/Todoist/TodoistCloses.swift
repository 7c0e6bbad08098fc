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
  /// By the task's key, as kept, or newer: changed without waiting, so that two tasks at once don't lose each other's.
  private var known: [(key: String, command: JSONValue)]?

  init(_ state: PluginState) { self.state = state }

  /// The command that was sent for a task, or an occurrence of one, and whose outcome is open.
  func earlier(for key: TaskKey) async throws -> String? {
    try await load().first { $0.key == key.text }?.command.string
  }

  /// A new command.
  ///
  /// - Throws: `RPCError` (unavailable) when it can't be kept; it must not be sent then.
  func make(for key: TaskKey) async throws -> String {
    let command = RandomID.make()
    known = Array((try await load().filter { $0.key != key.text } + [(key.text, JSONValue(command))]).suffix(Self.most))
    do {
      try await keep()
    } catch {
      known?.removeAll { $0.command.string == command }
      throw error
    }
    return command
  }

  /// Forgets a command whose outcome is known.
  func settle(_ key: TaskKey) async throws {
    known = try await load().filter { $0.key != key.text }
    try await keep()
  }

  private func load() async throws -> [(key: String, command: JSONValue)] {
    if let known { return known }
    let kept = try await state.get(Self.key)?.object.map { $0.map { ($0.key, $0.value) } } ?? []
    // Somebody else may have been faster.
    if known == nil { known = kept }
    return known ?? kept
  }

  private func keep() async throws {
    let all = known ?? []
    try await state.set(Self.key, all.isEmpty ? nil : JSONValue(object: all.map { ($0.key, $0.command) }))
  }
}
