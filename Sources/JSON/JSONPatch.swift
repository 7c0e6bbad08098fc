/// What turns one JSON value into another (RFC 6902), made by comparing the two; of the operations it has those that a
/// comparison gives: `add`, `remove` and `replace`.
public struct JSONPatch: Sendable, Equatable {
  /// One step; each takes the value as the steps before it left it.
  public enum Operation: Sendable, Equatable {
    /// Sets an object's member, or puts an element before the one at an index; `-` stands for an array's end.
    case add(JSONPointer, JSONValue)
    case remove(JSONPointer)
    case replace(JSONPointer, JSONValue)
  }

  /// A step that its value has no place for.
  public struct ApplicationError: Error, Equatable, CustomStringConvertible {
    public let pointer: JSONPointer
    public var description: String {
      "there is no \(pointer.tokens.isEmpty ? "such value" : "\"\(pointer)\"") to change"
    }
  }

  public let operations: [Operation]

  public init(_ operations: [Operation]) { self.operations = operations }

  /// Compares two values.
  ///
  /// Members are compared one by one. Of two arrays the equal elements at both ends are left alone, those between are
  /// compared in their order; so one element that came or went is one step.
  ///
  /// - Parameters:
  ///   - old: What there was.
  ///   - new: What there is; applying the patch to `old` gives a value equal to it.
  public init(from old: JSONValue, to new: JSONValue) {
    var operations: [Operation] = []
    Self.compare(old, new, .root, &operations)
    self.operations = operations
  }

  public var isEmpty: Bool { operations.isEmpty }

  private static func compare(
    _ old: JSONValue, _ new: JSONValue, _ place: JSONPointer, _ operations: inout [Operation]
  ) {
    guard old != new else { return }
    if let old = old.object, let new = new.object {
      for (key, value) in old {
        if let now = new[key] {
          compare(value, now, place.appending(key), &operations)
        } else {
          operations.append(.remove(place.appending(key)))
        }
      }
      for (key, value) in new where old[key] == nil { operations.append(.add(place.appending(key), value)) }
    } else if let old = old.array, let new = new.array {
      compare(old, new, place, &operations)
    } else {
      operations.append(.replace(place, new))
    }
  }

  private static func compare(
    _ old: JSONArray, _ new: JSONArray, _ place: JSONPointer, _ operations: inout [Operation]
  ) {
    let shorter = min(old.count, new.count)
    let head = (0..<shorter).first { old[$0] != new[$0] } ?? shorter
    let tail = (0..<shorter - head).first { old[old.count - 1 - $0] != new[new.count - 1 - $0] } ?? shorter - head
    let (oldEnd, newEnd) = (old.count - tail, new.count - tail)
    let common = min(oldEnd, newEnd)
    for index in head..<common { compare(old[index], new[index], place.appending(index), &operations) }
    // From the back, so that each index still means the element that it was taken for.
    for index in (common..<oldEnd).reversed() { operations.append(.remove(place.appending(index))) }
    for index in common..<newEnd { operations.append(.add(place.appending(index), new[index])) }
  }

  // MARK: - Applying

  /// Carries out all steps in their order.
  ///
  /// - Parameter value: What the patch was made for.
  /// - Returns: The value after the last step.
  /// - Throws: ``ApplicationError`` when a step has no place in it.
  public func applied(to value: JSONValue) throws(ApplicationError) -> JSONValue {
    var value = value
    for operation in operations { value = try operation.applied(to: value) }
    return value
  }

  // MARK: - JSON

  /// The patch as RFC 6902 writes it, section 3: an array of objects with `op`, `path` and mostly `value`.
  public var json: JSONValue { JSONValue(array: operations.map(\.json)) }
}

extension JSONPatch.Operation {
  fileprivate var json: JSONValue {
    switch self {
    case .add(let place, let value): ["op": "add", "path": JSONValue("\(place)"), "value": value]
    case .remove(let place): ["op": "remove", "path": JSONValue("\(place)")]
    case .replace(let place, let value): ["op": "replace", "path": JSONValue("\(place)"), "value": value]
    }
  }

  private var place: JSONPointer {
    switch self {
    case .add(let place, _), .remove(let place), .replace(let place, _): place
    }
  }

  fileprivate func applied(to value: JSONValue) throws(JSONPatch.ApplicationError) -> JSONValue {
    try applied(to: value, place.tokens[...])
  }

  /// Changes what `rest` points at inside `value`, and makes the values around it anew.
  private func applied(
    to value: JSONValue, _ rest: ArraySlice<String>
  ) throws(JSONPatch.ApplicationError) -> JSONValue {
    guard let token = rest.first else {
      switch self {
      case .add(_, let new), .replace(_, let new): return new
      case .remove: throw missing
      }
    }
    let isLast = rest.count == 1
    if value.object != nil {
      let member = value[token]
      if isLast { return value.setting(token, to: try changed(member)) }
      guard let member else { throw missing }
      return value.setting(token, to: try applied(to: member, rest.dropFirst()))
    }
    guard let array = value.array else { throw missing }
    var elements = Array(array)
    if isLast {
      try change(&elements, token)
    } else {
      guard let index = JSONPointer.index(token), elements.indices.contains(index) else { throw missing }
      elements[index] = try applied(to: elements[index], rest.dropFirst())
    }
    return JSONValue(array: elements)
  }

  /// What becomes of a member.
  private func changed(_ member: JSONValue?) throws(JSONPatch.ApplicationError) -> JSONValue? {
    switch self {
    case .add(_, let new): return new
    case .replace(_, let new) where member != nil: return new
    case .remove where member != nil: return nil
    case .replace, .remove: throw missing
    }
  }

  private func change(_ elements: inout [JSONValue], _ token: String) throws(JSONPatch.ApplicationError) {
    let index = token == "-" ? elements.count : JSONPointer.index(token) ?? -1
    switch self {
    case .add(_, let new) where (0...elements.count).contains(index): elements.insert(new, at: index)
    case .replace(_, let new) where elements.indices.contains(index): elements[index] = new
    case .remove where elements.indices.contains(index): elements.remove(at: index)
    case .add, .replace, .remove: throw missing
    }
  }

  private var missing: JSONPatch.ApplicationError { JSONPatch.ApplicationError(pointer: place) }
}
