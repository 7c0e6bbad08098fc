internal import EventLoop
package import JSON
internal import JSONRPC
package import RingiKit

extension Agent {
  /// Reads the configuration again and puts what is new into force; what did not change goes on undisturbed.
  ///
  /// - Parameter actor: Who wants it; without anybody it was the signal.
  /// - Returns: `{changed, problems}`: the names of what is new, gone or different, and what is wrong.
  /// - Throws: `RPCError` (overloaded) while the agent stops.
  @discardableResult
  package func reload(by actor: Actor = Actor(signal: "SIGHUP")) async throws -> JSONValue {
    // One after the other: what goes on may have read a file before the change that this reload is about.
    while let other = reloading { _ = await other.result }
    guard !isStopping else { throw RPCError.overloaded("The agent is shutting down; it reads nothing any more.") }
    // On its own, so that a client who leaves stops nothing half way.
    let work = Loop.task { [self] in
      defer { reloading = nil }
      return await readAgain(by: actor)
    }
    reloading = work
    return try await work.value
  }

  private func readAgain(by actor: Actor) async -> JSONValue {
    notifier.reloading()
    let old = configuration
    let reading = Configuration.read(directory: options.configDirectory, providers: providers)
    // A broken file leaves what it said before in force.
    configuration = reading.keeping(old)
    configuration.plugins = plugins.keepingUsable(configuration.plugins, old.plugins)
    let new = configuration
    apply(new.agent)
    let changed =
      await putIntoForce(plugins: Changes(old.plugins, new.plugins, \.instance))
      + putIntoForce(jobs: Changes(old.jobs, new.jobs, \.name))
      + hooks.replace(hooks: new.hooks).map { "hooks.d/\($0)" }
      + (old.agent == new.agent ? [] : ["ringi.json"])
    scheduler.forget(unless: reading.mayMean(job:))
    hooks.forget(unless: reading.mayMean(hook:))
    relisten(old)
    report(reading)
    log.write(
      .info, "agent",
      "the configuration was read again; changed: \(changed.isEmpty ? "nothing" : changed.joined(separator: ", "))")
    if !isStopping { notifier.ready() }
    let result: JSONValue = [
      "changed": JSONValue(array: changed.map { JSONValue($0) }),
      // What else is wrong, agent.status tells.
      "problems": JSONValue(
        array: problems.sentences(prefixes: "config:", "listen").map { JSONValue(redactor.redact($0)) }),
    ]
    var entry = AuditEntry("reload", by: actor, outcome: changed.isEmpty ? "unchanged" : "changed", at: clock.now)
    entry.details = result
    await store.keep([.audit(entry, redactor: redactor)])
    return result
  }

  private func putIntoForce(plugins changes: Changes<PluginFile>) async -> [String] {
    // Side by side: one that does not want to end keeps no other from starting.
    let ends =
      changes.removed.map { file in Loop.task { [plugins] in await plugins.unload(file.instance) } }
      + changes.changed.map { file in
        Loop.task { [plugins] in
          await plugins.unload(file.instance, for: file)
          plugins.load(file)
        }
      }
    for file in changes.added { plugins.load(file) }
    for end in ends { _ = await end.result }
    await plugins.settle(within: PluginHost.startLimit)
    return changes.names.map { "plugins.d/\($0)" }
  }

  private func putIntoForce(jobs changes: Changes<JobFile>) async -> [String] {
    for file in changes.removed + changes.changed.filter({ !$0.isEnabled }) { await scheduler.remove(file.name) }
    for file in changes.added + changes.changed where file.isEnabled { scheduler.add(job(file)) }
    return changes.names.map { "jobs.d/\($0)" }
  }
}
