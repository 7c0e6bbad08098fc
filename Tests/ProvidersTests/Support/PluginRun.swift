import EventLoop
import Foundation
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiTestSupport

/// One instance of a provider, on a clock that the test moves.
@Loop final class PluginRun: PluginRig {
  let clock = TestClock()
  let plugin: BuiltinPlugin
  private let notes: Notes
  private let advance: @Loop (Duration) -> Void

  /// What the plugin logged.
  var logged: [String] { notes.log }
  /// What the plugin had kept out of what the agent says.
  var hidden: Set<String> { notes.hidden }

  /// Makes an instance.
  ///
  /// - Parameters:
  ///   - provider: Which provider.
  ///   - instance: Its name.
  ///   - settings: Its settings.
  ///   - secrets: The agent's environment.
  ///   - store: Where the instance's state is; one in memory unless given.
  ///   - advance: Moves the backend's clock, too.
  /// - Throws: What the plugin says.
  init(
    _ provider: any Provider.Type, _ instance: String, settings: JSONValue, secrets: [String: String] = [:],
    store: Store? = nil, advance: @escaping @Loop (Duration) -> Void
  ) throws {
    let notes = Notes(secrets)
    let log = Log(level: .error, clock: clock, redactor: Redactor())
    let context = ProviderContext(
      instance: instance, clock: clock, directory: "/",
      readSecret: { secret in try notes.read(secret) }, hide: { notes.hidden.insert($0) },
      state: PluginState(of: instance, in: try store ?? Store(inMemoryFor: clock, log: log)),
      log: { notes.log.append("\($0.rawValue): \($1)") },
      publish: { _ in throw RPCError.internalError("nothing is published here") })
    plugin = try BuiltinPlugin(provider, settings: provider.settings.fillingDefaults(settings), context: context)
    (self.notes, self.advance) = (notes, advance)
  }

  @Loop private final class Notes {
    var log: [String] = []
    var hidden: Set<String> = []
    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    func read(_ secret: Secret) throws -> String {
      switch secret.origin {
      case .value(let value): return value
      case .environment(let name) where environment[name] != nil: return try required(environment[name])
      case .file(let path): return try String(contentsOfFile: path, encoding: .utf8).filter { $0 != "\n" }
      default: throw RPCError.loginRequired(provider: "sap", message: "\(secret) is not set")
      }
    }
  }

  func pass(_ duration: Duration) {
    clock.advance(by: duration)
    advance(duration)
  }
}
