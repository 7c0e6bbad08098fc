internal import JSON
internal import JSONRPC
package import RingiKit
internal import SQLite

/// What the store keeps for plugin instances; it stays when an instance is taken out, since it may come back.
enum StateRows {
  static let maxKeyBytes = 255
  static let maxValueBytes = 1 << 20
  static let maxKeys = 1000

  static func value(_ key: String, of instance: String, _ connection: Connection) throws -> JSONValue? {
    try connection.first(
      "SELECT value FROM plugin_state WHERE instance = ? AND key = ?", [.text(instance), .text(key)]
    ) { row in
      do {
        return try JSONValue(parsing: row.bytes(0), options: JSONParsingOptions(maxDepth: 1024))
      } catch {
        throw SQLiteError.damaged("the state of \(instance) can't be read: \(error)")
      }
    }
  }

  /// Keeps a value, or takes it out when it is `nil`.
  ///
  /// - Throws: `RPCError` (invalid-params) when a bound is passed; so does the change itself.
  static func set(_ key: String, to value: JSONValue?, of instance: String) throws -> Change {
    guard (1...maxKeyBytes).contains(key.utf8.count) else {
      throw RPCError.invalidParams(
        "key: a text of \(key.utf8.count) bytes; it takes one of 1 to \(maxKeyBytes) bytes.")
    }
    guard let value, !value.isNull else {
      return Change {
        try $0.run("DELETE FROM plugin_state WHERE instance = ? AND key = ?", [.text(instance), .text(key)])
      }
    }
    let text = value.utf8
    guard text.count <= maxValueBytes else {
      throw RPCError.invalidParams(
        "value: JSON of \(text.count) bytes; it takes \(maxValueBytes) bytes at most, so keep it in several parts.")
    }
    return Change { try put(key, text, of: instance, $0) }
  }

  private static func put(_ key: String, _ text: [UInt8], of instance: String, _ connection: Connection) throws {
    let others = try connection.first(
      "SELECT count(*) FROM plugin_state WHERE instance = ? AND key <> ?", [.text(instance), .text(key)]
    ) { $0.integer(0) }
    guard others ?? 0 < maxKeys else {
      throw RPCError.invalidParams(
        "key: the plugin \(instance) keeps \(maxKeys) keys, the most there can be; set some to null to take them out.")
    }
    try connection.run(
      "INSERT OR REPLACE INTO plugin_state (instance, key, value) VALUES (?, ?, ?)",
      [.text(instance), .text(key), .blob(text)])
  }
}

extension PluginState {
  /// An instance's part of a store.
  package init(of instance: String, in store: Store) {
    self.init(
      get: { key in try await store.read { try StateRows.value(key, of: instance, $0) } },
      set: { key, value in _ = try await store.record([try StateRows.set(key, to: value, of: instance)]) })
  }
}
