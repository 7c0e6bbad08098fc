internal import Timing

/// What happens in the background, and when.
extension SAPState {
  /// Does all that has fallen due by now, each at its moment.
  mutating func settle() {
    while let (moment, effect) = effects.takeDue(at: clock.now) { apply(effect, at: moment) }
  }

  /// Does all that waits for a tick.
  mutating func tick() {
    for effect in effects.takeTicked() { apply(effect, at: clock.now) }
    settle()
  }

  /// Whether something is still to happen to an instance in the background.
  func isBusy(_ instance: String) -> Bool { effects.contains { $0.concerns(instance) } }

  mutating func later(_ effect: SAPEffect, at now: Timestamp) {
    effects.add(effect, after: switches.latency, now: now)
    settle()
  }

  private mutating func apply(_ effect: SAPEffect, at moment: Timestamp) {
    switch effect {
    case .advance(let id): advance(id, at: moment)
    case .setStatus(let id, let status, let cascade): setStatus(id, status, cascade: cascade, at: moment)
    case .undeploy(let definition, let job):
      definitions.remove { $0.id == definition }
      delete(Set(instances.rows.filter { $0.definitionID == definition }.map(\.id)))
      jobs.remove(job)
    case .deleteInstances(let ids, let job):
      delete(ids)
      jobs.remove(job)
    case .replay(let request): _ = process(request)
    }
  }

  mutating func delete(_ ids: Set<String>) {
    instances.remove { ids.contains($0.id) }
    tasks.remove { ids.contains($0.workflowInstanceID) }
  }
}
