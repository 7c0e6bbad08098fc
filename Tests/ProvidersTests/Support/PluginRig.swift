import EventLoop
import JSON
import JSONRPC
import RingiCore
import RingiKit
import RingiTestSupport

/// An instance of a provider on a clock that the test moves, and how a test calls it.
@Loop protocol PluginRig: AnyObject {
  var clock: TestClock { get }
  var plugin: BuiltinPlugin { get }
  /// Moves the clock, and the backend's where that has one.
  func pass(_ duration: Duration)
}

extension PluginRig {
  var source: any TaskSource { get throws { try required(plugin.source) } }

  /// Calls `INSTANCE.NAME` as a client would, params checked and defaults filled in, while time passes.
  @discardableResult
  func call(_ name: String, _ params: JSONValue = [:]) async throws -> JSONValue {
    let method = try required(plugin.methods.first { $0.name == "\(plugin.instance).\(name)" })
    return try await passingTime {
      let result = try await method.invoke(params, Call(origin: .owner(causes: [])))
      let violations = method.result.validate(result)
      guard violations.isEmpty else { throw RPCError.internalError("\(name) gave \(violations)") }
      return result
    }
  }

  /// The error of a call that fails.
  func failure(_ name: String, _ params: JSONValue = [:]) async throws -> RPCError {
    try await failure { try await self.call(name, params) }
  }

  /// The error of work that fails.
  func failure(_ body: () async throws -> JSONValue) async throws -> RPCError {
    do {
      throw Unexpected("it gave \(try await body())")
    } catch let error as RPCError {
      return error
    }
  }

  /// Moves the clocks while `body` waits, a tenth of a second at a time.
  func passingTime<T: Sendable>(_ body: @escaping @Loop @Sendable () async throws -> T) async throws -> T {
    var isDone = false
    let work = Loop.task {
      defer { isDone = true }
      return try await body()
    }
    while !isDone {
      await Task.yield()
      guard clock.pending > 0 else { continue }
      pass(.milliseconds(100))
    }
    return try await work.value
  }
}
