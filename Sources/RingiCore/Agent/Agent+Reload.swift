internal import EventLoop
package import JSON
internal import JSONRPC
internal import RingiKit

extension Agent {
  /// Reads the configuration again and puts what is new into force; what did not change goes on undisturbed.
  ///
  /// - Returns: `{changed}`, with the names of what is new, gone or different.
  /// - Throws: `RPCError` (overloaded) while another reload goes on.
  @discardableResult
  package func reload() async throws -> JSONValue {
    guard !isReloading else { throw RPCError.overloaded("The configuration is being read again already.") }
    isReloading = true
    notifier.reloading()
    defer {
      isReloading = false
      notifier.ready()
    }
    let old = configuration
    let reading = Configuration.read(directory: options.configDirectory, providers: providers)
    // A broken file leaves what it said before in force.
    let new = reading.keeping(old)
    configuration = new
    apply(new.agent)
    let pluginChanges = Changes(old.plugins, new.plugins, \.instance)
    let jobChanges = Changes(old.jobs, new.jobs, \.name)
    for file in pluginChanges.removed + pluginChanges.changed { await plugins.unload(file.instance) }
    for file in pluginChanges.added + pluginChanges.changed { plugins.load(file) }
    for file in jobChanges.removed + jobChanges.changed
    where !new.jobs.contains(where: { $0.name == file.name && $0.isEnabled }) {
      await scheduler.remove(file.name)
    }
    for file in jobChanges.added + jobChanges.changed where file.isEnabled { scheduler.add(job(file)) }
    let changedHooks = hooks.replace(hooks: new.hooks)
    relisten(old)
    let changed =
      pluginChanges.names.map { "plugins.d/\($0)" } + jobChanges.names.map { "jobs.d/\($0)" }
      + changedHooks.map { "hooks.d/\($0)" } + (old.agent == new.agent ? [] : ["ringi.json"])
    report(reading)
    log.write(
      .info, "agent",
      "the configuration was read again; changed: \(changed.isEmpty ? "nothing" : changed.joined(separator: ", "))")
    return ["changed": JSONValue(array: changed.map { JSONValue($0) })]
  }
}
