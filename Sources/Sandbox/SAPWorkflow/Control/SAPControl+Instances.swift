package import JSON

extension SAPControl {
  /// Adds or replaces a definition.
  package func deploy(_ definition: SAPDefinition) { with { $0.deploy(definition) } }

  /// Starts an instance as somebody else, or as a subflow.
  ///
  /// - Returns: its id.
  @discardableResult
  package func startInstance(
    of definition: String, context: JSONValue = .emptyObject, by user: String = "P1000009", parent: String? = nil
  ) throws(ControlError) -> String {
    try with { state throws(ControlError) in
      guard let definition = state.definitions[definition]?.definition else {
        throw .notFound("There is no definition \(definition).")
      }
      let now = state.clock.now
      let id = state.start(definition, context: context, by: user, parent: parent, at: now).id
      state.later(.advance(id), at: now)
      return id
    }
  }

  /// Lets an instance fail at its step.
  package func failInstance(_ id: String, message: String) throws(ControlError) {
    try with { state throws(ControlError) in
      guard var instance = state.instances[id] else { throw .notFound("There is no instance \(id).") }
      guard instance.status == .running else { throw .invalid("The instance is \(instance.status.rawValue).") }
      let now = state.clock.now
      instance.status = .erroneous
      instance.errorMessages.append(.init(text: message, time: now, logID: RandomText.uuid()))
      instance.note("WORKFLOW_FAILED", at: now)
      state.instances[id] = instance
    }
  }

  package func instance(_ id: String) -> SAPInstance? { with { $0.instances[id] } }

  package var instances: [SAPInstance] { with { $0.instances.rows } }
}
