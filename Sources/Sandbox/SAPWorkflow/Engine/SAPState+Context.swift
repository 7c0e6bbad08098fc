internal import JSON

extension SAPState {
  /// Changes parts of an instance's context.
  mutating func mergeContext(of id: String, with changes: JSONValue) {
    let depth = switches.mergeDepth
    instances.update(id) { instance in
      instance.context =
        depth == .shallow ? instance.context.merging(changes) : instance.context.mergingDeeply(changes)
    }
  }
}

extension JSONValue {
  /// A copy in which objects that both have are merged member by member.
  fileprivate func mergingDeeply(_ other: JSONValue) -> JSONValue {
    guard let changes = other.object else { return self }
    return changes.reduce(self) { result, change in
      guard let old = result[change.key], old.kind == .object, change.value.kind == .object else {
        return result.setting(change.key, to: change.value)
      }
      return result.setting(change.key, to: old.mergingDeeply(change.value))
    }
  }
}
