internal import JSON
internal import RingiKit
internal import Timing

/// ringi.json: the agent itself.
package struct AgentFile: Equatable, Sendable {
  /// Where to listen; empty for the usual place.
  package var listen: [Listener.Address] = []
  package var logLevel = Log.Level.info
  package var logFormat = Log.Format.text
  package var limits = Limits()
  package var retention = Store.Retention()
  package var phrases: [Phrase] = []

  package init() {}

  static let schema = Schema.object([
    "listen": .array(
      "Where to listen, and what clients there may call; without, the usual socket, for everything.",
      of: ListenerSettings.schema, minItems: 1),
    "log": .object(
      "The log, on standard error.",
      [
        "level": .string("The least that is written.", enum: Log.Level.allCases.map(\.rawValue)).default("info"),
        "format": .string("How it is written.", enum: Log.Format.allCases.map(\.rawValue)).default("text"),
      ]),
    "limits": LimitSettings.schema, "retention": RetentionSettings.schema,
    "phrases": .array("What people may say, and the call that each stands for.", of: PhraseSettings.schema),
  ])

  /// Reads the file; `nil` when it is not usable.
  ///
  /// - Parameter file: The file; complaints go to it.
  init?(_ file: inout ConfigurationFile) {
    guard file.isObject else { return nil }
    file.check(Self.schema)
    listen = ListenerSettings.read(&file)
    limits = LimitSettings.read(&file)
    retention = RetentionSettings.read(&file)
    phrases = PhraseSettings.read(&file)
    guard file.isUsable else { return nil }
    let log = file.value["log"]
    logLevel = log?["level"]?.string.flatMap(Log.Level.init) ?? logLevel
    logFormat = log?["format"]?.string.flatMap(Log.Format.init) ?? logFormat
  }
}
