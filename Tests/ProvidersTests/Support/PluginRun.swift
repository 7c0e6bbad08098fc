import EventLoop
import Foundation
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiTestSupport

/// One instance of a provider, on a clock that the test moves.
@Loop final class PluginRun {
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

  /// Calls `INSTANCE.NAME` as a client would, params checked and defaults filled in, while time passes.
  func call(_ name: String, _ params: JSONValue) async throws -> JSONValue {
    let method = try required(plugin.methods.first { $0.name == "\(plugin.instance).\(name)" })
    return try await passingTime {
      let result = try await method.invoke(params, Call(origin: .owner(causes: [])))
      let violations = method.result.validate(result)
      guard violations.isEmpty else { throw RPCError.internalError("\(name) gave \(violations)") }
      return result
    }
  }

  /// The error of a call that fails.
  func failure(_ name: String, _ params: JSONValue) async throws -> RPCError {
    do {
      let result = try await call(name, params)
      throw Unexpected("\(name) gave \(result)")
    } catch let error as RPCError {
      return error
    }
  }

  /// Moves both clocks while `body` waits, a tenth of a second at a time.
  func passingTime<T: Sendable>(_ body: @escaping @Loop @Sendable () async throws -> T) async throws -> T {
    var isDone = false
    let work = Loop.task {
      defer { isDone = true }
      return try await body()
    }
    while !isDone {
      await Task.yield()
      guard clock.pending > 0 else { continue }
      clock.advance(by: .milliseconds(100))
      advance(.milliseconds(100))
    }
    return try await work.value
  }
}
