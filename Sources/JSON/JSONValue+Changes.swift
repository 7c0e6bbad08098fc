import CJansson

extension JSONValue {
  /// A copy of an object with one member set, in its old place if it was there, or removed if the value is nil.
  ///
  /// A value that is no object counts as an empty one. Members are shared, not copied.
  public func setting(_ key: String, to value: JSONValue?) -> JSONValue {
    let copy = shallowCopy()
    key.withBytes { key in
      if let value {
        JSONNode.set(copy, key, value.makeReference())
      } else {
        JSONNode.remove(copy, key)
      }
    }
    return JSONValue(owning: copy)
  }

  /// A copy of an object with all members of another; where both have one, the other's counts.
  ///
  /// Only the top level is merged. A value that is no object counts as an empty one.
  public func merging(_ other: JSONValue) -> JSONValue {
    guard let node = other.node(JSON_OBJECT) else { return JSONValue(owning: shallowCopy()) }
    let copy = shallowCopy()
    withExtendedLifetime(node) { JSONNode.done(json_object_update(copy, node.reference)) }
    return JSONValue(owning: copy)
  }

  private func shallowCopy() -> JSONNode.Reference {
    guard let node = node(JSON_OBJECT) else { return JSONNode.made(json_object()) }
    return withExtendedLifetime(node) { JSONNode.made(json_copy(node.reference)) }
  }
}

extension JSONNode {
  /// Removes a member of an object that nobody else has yet, if it is there.
  fileprivate static func remove(_ object: Reference, _ key: UnsafeBufferPointer<UInt8>) {
    guard member(object, key) != nil else { return }
    guard let base = key.baseAddress else { return done(json_object_deln(object, "", 0)) }
    base.withMemoryRebound(to: CChar.self, capacity: key.count) { done(json_object_deln(object, $0, key.count)) }
  }
}
