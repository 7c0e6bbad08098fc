import CJansson

/// Whether a value that somebody else has built is one that a text could say.
struct ReferenceCheck {
  private static let maxDepth = 256
  /// Far more than a message can hold, and few enough to be looked at.
  private static let maxValues = 10_000_000

  private var depth = 0
  private var values = 0

  /// Looks at a value and all in it.
  mutating func passes(_ reference: JSONNode.Reference) -> Bool {
    values += 1
    guard values <= Self.maxValues else { return false }
    switch reference.pointee.type {
    case JSON_STRING: return Self.isUTF8(JSONNode.bytes(reference))
    case JSON_REAL: return json_real_value(reference).isFinite
    case JSON_ARRAY: return nested { $0.passes(array: reference) }
    case JSON_OBJECT: return nested { $0.passes(object: reference) }
    default: return true
    }
  }

  private mutating func nested(_ body: (inout ReferenceCheck) -> Bool) -> Bool {
    depth += 1
    defer { depth -= 1 }
    return depth <= Self.maxDepth && body(&self)
  }

  private mutating func passes(array: JSONNode.Reference) -> Bool {
    for index in 0..<json_array_size(array) {
      guard let element = json_array_get(array, index), passes(element) else { return false }
    }
    return true
  }

  private mutating func passes(object: JSONNode.Reference) -> Bool {
    var iterator = json_object_iter(object)
    while let at = iterator {
      guard Self.isUTF8(JSONNode.key(at)), let value = json_object_iter_value(at), passes(value) else { return false }
      iterator = json_object_iter_next(object, at)
    }
    return true
  }

  private static func isUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    if bytes.allSatisfy({ $0 < 0x80 }) { return true }
    return String(validating: bytes, as: UTF8.self) != nil
  }
}
