internal import EventLoop
internal import Glibc
internal import JSON
internal import JSONRPC
internal import RingiKit
internal import RingiModel
internal import Timing

extension Agent {
  /// The methods that the agent itself offers.
  var coreMethods: [Method] {
    let actions = AgentMethods.Actions(
      status: { [unowned self] in status },
      reload: { [unowned self] call in try await reload(by: call.actor) },
      shutdown: { [unowned self] call in
        // At once, so that what the client sent behind it is refused.
        environment.isStopping = true
        let actor = call.actor
        Loop.task { await self.stop(by: actor) }
      })
    let (scheduler, registry) = (scheduler, registry)
    // These tell of what failed, in words that may have come from a backend.
    let diagnostic = (JobMethods.all(scheduler) + HookMethods.all(hooks) + PluginMethods.all(plugins))
      .map { redactor.redacting($0) }
    return AgentMethods.all(actions) + [
      BackupMethod.make(store, clock, redactor), DoctorMethod.make { [unowned self] in try await examine($0, $1) },
    ] + AuditMethods.all(store)
      + EventMethods.all(bus) + diagnostic
      + [Discover.method(registry, version: Version.current)]
      + TaskMethods.all(inbox, decisions) { instance in
        let result = try await scheduler.run(PluginHost.pollName(instance))
        return Inbox.PollResult(ready: Int(result["ready"]?.int ?? 0), changed: Int(result["changed"]?.int ?? 0))
      }
      + PhraseMethods.all { [unowned self] text, call in
        let phrase = try phrasebook.find(text)
        var actor = call.actor
        actor.phrase = phrase.say
        let result = try await registry.call(
          phrase.call, phrase.params, Call(origin: .owner(actor, causes: call.causes)))
        return ["phrase": JSONValue(phrase.say), "method": JSONValue(phrase.call), "result": result]
      }
  }

  /// What is wrong now: with the configuration, the parts, and the backends.
  var problemSentences: [String] {
    problems.sentences + [inbox.openQuestion].compactMap(\.self)
      + inbox.failing.compactMap { instance in
        inbox.failure(of: instance).map { "The polls of \(instance) fail: \($0.message)" }
      }
  }

  /// What `agent.status` answers.
  var status: JSONValue {
    redactor.redact(
      [
        "version": JSONValue(Version.current), "pid": JSONValue(Int(getpid())),
        "uptime": JSONValue(Int((clock.uptime - startedUptime) / 1_000_000_000)),
        "startedAt": JSONValue(started.rfc3339), "config": JSONValue(options.configDirectory),
        "state": JSONValue(options.stateDirectory), "listeners": server.json, "plugins": plugins.list,
        "jobs": scheduler.list, "hooks": hooks.list,
        "store": store.json.setting("events", to: JSONValue(bus.log.count))
          .setting("firstSequence", to: JSONValue(bus.log.firstSequence))
          .setting("lastSequence", to: JSONValue(bus.log.lastSequence)),
        "problems": JSONValue(array: problemSentences.map { JSONValue($0) }), "counters": counters.json,
        "sequence": JSONValue(bus.log.lastSequence),
        "pendingDecisions": JSONValue(inbox.pendingDecisions),
      ] as JSONValue)
  }
}
