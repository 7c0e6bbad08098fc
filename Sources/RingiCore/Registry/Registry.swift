package import EventLoop
package import JSON
package import JSONRPC
package import RingiKit

/// All methods that can be called now; a reload swaps the whole table.
@Loop
package final class Registry {
  package private(set) var table = MethodTable([])
  /// Grows with each change, so that what was derived from the table can be renewed.
  package private(set) var generation = 0
  /// The way of what may change something; without it there is nothing to record.
  package var mutations: Mutations?
  /// Why there is no method of a name, where there is more to say than that.
  package var explain: (String) -> RPCError? = { _ in nil }
  private var owners: [(owner: String, methods: [Method])] = []

  package init() {}

  /// Adds the methods of one owner: the agent itself or a plugin instance.
  ///
  /// - Parameters:
  ///   - methods: What it offers.
  ///   - owner: Its name, for messages.
  /// - Throws: ``TakenError`` when a name is taken; nothing is added then.
  package func add(_ methods: [Method], of owner: String) throws(TakenError) {
    var names: Set<String> = []
    for method in methods {
      if let other = self.owner(of: method.name) {
        throw TakenError(method: method.name, owner: other, claimant: owner)
      }
      guard names.insert(method.name).inserted else {
        throw TakenError(method: method.name, owner: owner, claimant: owner)
      }
    }
    owners.append((owner, methods))
    rebuild()
  }

  /// Takes the methods of an owner out.
  package func remove(_ owner: String) {
    owners.removeAll { $0.owner == owner }
    rebuild()
  }

  package func methods(of owner: String) -> [Method] {
    owners.first { $0.owner == owner }?.methods ?? []
  }

  private func owner(of method: String) -> String? {
    owners.first { $0.methods.contains { $0.name == method } }?.owner
  }

  private func rebuild() {
    table = MethodTable(owners.flatMap(\.methods))
    generation += 1
  }

  /// Calls a method for the agent's owner: a job, a hook, a phrase.
  ///
  /// - Parameters:
  ///   - name: The method.
  ///   - params: Its params, or `nil`.
  ///   - call: Where the call comes from.
  /// - Returns: The result.
  /// - Throws: `RPCError`, or what the handler throws.
  package func call(_ name: String, _ params: JSONValue?, _ call: Call) async throws -> JSONValue {
    guard let index = table.index(of: name) else {
      throw missing(name)
    }
    return try await answer(table.methods[index], params, call).value
  }

  /// The error for a name that no method has.
  func missing(_ name: String) -> RPCError { explain(name) ?? unknown(name) }

  func unknown(_ name: String) -> RPCError {
    .methodNotFound("There is no method \"\(name.prefix(200))\"; rpc.discover lists all.")
  }

  /// Calls a method, whoever asks.
  func answer(_ method: Method, _ params: JSONValue?, _ call: Call) async throws -> Method.Answer {
    guard method.isMutation, let mutations else { return try await method.answer(params, call) }
    return try await mutations.answer(method, params, call)
  }

  /// A name was already taken.
  package struct TakenError: Error, Equatable, CustomStringConvertible {
    package let method: String
    package let owner: String
    package let claimant: String

    package var description: String {
      "\(claimant) offers the method \(method), which \(owner) already has; rename one of the two."
    }
  }
}
