internal import EventLoop
internal import JSON
internal import JSONRPC
internal import RingiKit
internal import RingiModel
internal import Timing

/// A plugin that takes time to start, may be down, and answers calls by messages: a program or a library.
@Loop
protocol StartedPlugin: Plugin {
  var file: PluginFile { get }
  var supervisor: Supervisor { get }
  /// The number of its process, where it has one of its own that runs.
  var processID: Int32? { get }
  var surroundings: PluginSurroundings { get }
  /// What is wrong with the settings.
  var problems: [ConfigurationProblem] { get set }
  /// What the plugin has said of itself.
  var manifest: PluginManifest? { get }

  /// Starts it, and sees to it that it runs from now on.
  func start()
  /// Calls a method that it has named, or `tasks.*`.
  ///
  /// - Parameters:
  ///   - method: The method, as the plugin knows it.
  ///   - params: An object.
  ///   - causes: The events that led to the call, oldest first.
  ///   - progress: Takes what the plugin tells meanwhile.
  /// - Returns: The result.
  /// - Throws: `RPCError`; `CancellationError`.
  func call(
    _ method: String, _ params: JSONValue, causes: [String], progress: ProgressHandler?
  ) async throws -> JSONValue
}

/// What the agent lends to such a plugin beyond what every instance gets.
struct PluginSurroundings {
  /// The agent's own environment.
  var environment: [String: String]
  var redactor: Redactor
  var registry: Registry
  var bus: EventBus
  /// The limits in force.
  var limits: @Loop () -> Limits
  /// Fits the instance's methods and tasks into the agent; throws when they can't be.
  var offer: @Loop (any StartedPlugin) throws -> Void
  /// Hears of each change of the plugin's state.
  var changed: @Loop (any StartedPlugin) -> Void
}

/// The instance can't be used as its file has it, or as the plugin offers it; another try would end the same way.
struct UnusablePlugin: Error, CustomStringConvertible {
  let description: String
}

extension StartedPlugin {
  /// - Throws: `RPCError` (plugin-down) unless it runs.
  func checkRunning() throws(RPCError) {
    guard supervisor.state == .running else {
      throw .pluginDown(
        "The plugin \(instance) is not running (\(supervisor.state.rawValue)); plugins.list tells why.")
    }
  }

  /// Checks new settings for the plugin as it runs now.
  ///
  /// - Throws: `SettingsError`; of a file with other code there is nothing to say.
  func check(settingsOf new: PluginFile) throws(SettingsError) {
    guard supervisor.state == .running, new.hasSameCode(as: file), let schema = manifest?.settingsSchema,
      let violation = schema.validate(new.settings).first
    else { return }
    throw SettingsError(at: violation.pointer, violation.message)
  }

  /// Checks the file's settings against what the plugin takes.
  ///
  /// - Throws: ``UnusablePlugin`` when they don't fit.
  func checkSettings(_ schema: Schema) throws(UnusablePlugin) {
    problems = PluginSettings.check(file, schema)
    guard let problem = problems.first(where: { !$0.isWarning }) else { return }
    throw UnusablePlugin(description: "Its settings don't fit: \(problem)")
  }

  /// Fits the methods and the tasks into the agent.
  ///
  /// - Throws: ``UnusablePlugin`` when a name is taken.
  func offer() throws {
    do { try surroundings.offer(self) } catch let error as Registry.TakenError {
      throw UnusablePlugin(description: error.description)
    }
  }

  /// Carries a client's call to the plugin.
  ///
  /// - Parameters:
  ///   - offer: What is called.
  ///   - call: Where the call comes from.
  ///   - send: Sends it.
  /// - Returns: The result.
  /// - Throws: `RPCError`; of something that changes something also whether that is open.
  func forward(
    _ offer: PluginManifest.Offer, _ call: Call, _ send: (ProgressHandler?) async throws -> JSONValue
  ) async throws -> JSONValue {
    try checkRunning()
    var progress: ProgressHandler?
    if call.progressToken != nil { progress = { call.progress($0) } }
    do {
      return try await send(progress)
    } catch let error as RPCError where offer.isMutation && PeerError.leavesOpen(error) {
      throw RPCError.outcomeUnknown(
        "\(offer.name) was sent to the plugin \(instance), and no answer tells whether it was done: \(error.message)",
        details: ["cause": error.json])
    }
  }
}

extension RPCError {
  /// A call was not made, or was cut short, because the plugin does not run.
  static func plugin(isDown name: String) -> RPCError {
    .pluginDown("The plugin \(name) is not running, or ended during the call; plugins.list tells why.")
  }

  /// A plugin has let a call's time go by.
  static func plugin(_ name: String, hasNotAnswered method: String, within limit: Duration) -> RPCError {
    .unavailable(
      "The plugin \(name) has not answered \(method) within \(DurationText.format(limit)) (limits.requestTimeout).")
  }
}
