internal import EventLoop
package import JSON
internal import JSONRPC
internal import RingiKit
internal import Timing

/// What is told of the instances.
extension PluginHost {
  /// Whether an instance is polled, for tasks or for what it watches.
  package func hasPoll(_ instance: String) -> Bool {
    guard let plugin = entries[instance]?.plugin else { return false }
    return plugin.source != nil || plugin.watch != nil
  }

  /// What keeps instances from running although their files are right.
  package func problems(_ reading: Configuration.Reading) -> [ConfigurationProblem] {
    let failed = entries.values.filter { $0.state == .failed }
      .compactMap { entry in entry.error.map { (file: entry.file, error: $0) } }
    return (failed + refused).sorted { $0.file.path < $1.file.path }.compactMap { file, error in
      guard let error = error as? SettingsError, var text = reading.file(file.path) else {
        return ConfigurationProblem(file: file.path, message: "\(error)")
      }
      text.complain(at: JSONPointer(tokens: ["settings"] + error.pointer.tokens), error.message)
      return text.problems.last
    }
  }

  package var list: JSONValue {
    JSONValue(array: entries.values.sorted { $0.file.instance < $1.file.instance }.map(row))
  }

  package func row(_ instance: String) throws -> JSONValue { row(try entry(instance)) }

  /// The last lines about an instance, oldest first.
  ///
  /// - Parameters:
  ///   - instance: The instance.
  ///   - number: The first lines after this one, instead of the newest.
  ///   - limit: The most lines.
  /// - Returns: An array of the lines, each with `number`, `time`, `level` and `message`.
  /// - Throws: `RPCError` (not-found).
  package func log(of instance: String, after number: Int?, limit: Int) throws -> JSONValue {
    _ = try entry(instance)
    return record(instance).log.list(after: number, limit: limit)
  }

  private func row(_ entry: Entry) -> JSONValue {
    let started = entry.started
    let supervisor = started?.supervisor
    let error = supervisor.map(\.lastError) ?? entry.error.map { "\($0)" }
    let failure = parts.inbox.failure(of: entry.file.instance)?.message
    // That its program is down says more than that it can't be polled.
    let lastError = supervisor?.state == .running ? failure ?? error : error ?? failure
    let figures = record(entry.file.instance).figures
    let uptime = entry.runningSince.map { JSONValue((parts.clock.uptime - $0) / 1_000_000_000) }
    let process = started?.processID
    let memory = process.flatMap { ProcessMemory.resident(of: $0) }
    return [
      "name": JSONValue(entry.file.instance),
      "kind": JSONValue(entry.file.kind.rawValue),
      "provider": JSONValue(entry.file.provider), "state": JSONValue((supervisor?.state ?? entry.state).rawValue),
      "since": JSONValue((supervisor?.since ?? entry.since).rfc3339), "uptime": uptime ?? .null,
      "methods": JSONValue(array: parts.registry.methods(of: entry.file.instance).map { JSONValue($0.name) }),
      "lastError": lastError.map { JSONValue($0) } ?? .null, "restarts": JSONValue(entry.totalRestarts),
      "pid": process.map { JSONValue(Int($0)) } ?? .null, "memory": memory.map { JSONValue($0) } ?? .null,
      "calls": JSONValue(figures.calls), "inFlight": JSONValue(figures.inFlight), "errors": JSONValue(figures.errors),
      "latency": figures.latency,
    ]
  }
}
