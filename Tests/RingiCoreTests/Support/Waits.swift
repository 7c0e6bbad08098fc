import EventLoop
import JSON
import RingiKit

/// Calls that wait until the test lets them go: `test.wait`, and `test.act`, which counts as a mutation.
@Loop
final class Waits {
  private var gates: [String: Gate] = [:]
  private var isOver = false
  private var arrivals: [String: Gate] = [:]
  /// The keys of calls that ended, and of those that were cancelled.
  private(set) var ended: [String] = []
  private(set) var cancelled: [String] = []

  nonisolated init() {}

  var methods: [Method] { [method("test.wait", isMutation: false), method("test.act", isMutation: true)] }

  private func method(_ name: String, isMutation: Bool) -> Method {
    Method(
      name, "Waits until the test opens the gate of this key.",
      params: .object(["key": .string("A name for the call.")], required: ["key"]), result: .string("The key."),
      isMutation: isMutation,
      handler: .async { [self] params, call in
        let key = params["key"]?.string ?? ""
        call.progress(["waits": true])
        gate(&arrivals, key).open()
        do {
          try await gate(&gates, key).wait()
        } catch {
          cancelled.append(key)
          throw error
        }
        ended.append(key)
        return JSONValue(key)
      })
  }

  private func gate(_ gates: inout [String: Gate], _ key: String) -> Gate {
    if let gate = gates[key] { return gate }
    let gate = Gate()
    if isOver { gate.open() }
    gates[key] = gate
    return gate
  }

  /// Lets the call of a key end.
  func open(_ key: String) { gate(&gates, key).open() }

  /// Lets every call end, and those to come.
  func openAll() {
    isOver = true
    for gate in gates.values { gate.open() }
  }

  /// Waits until the test lets everything go.
  func hold() async throws {
    held += 1
    try await gate(&gates, "held \(held)").wait()
  }

  private var held = 0

  /// Returns once a call of this key is under way.
  func arrival(_ key: String) async throws { try await gate(&arrivals, key).wait() }
}
