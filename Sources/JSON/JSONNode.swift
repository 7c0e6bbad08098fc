import CJansson

/// One counted reference to a string, an array or an object of jansson's.
///
/// It may be shared between threads, unchecked: jansson counts references atomically, and a value is never changed
/// once a `JSONNode` holds it (building goes on a fresh, unshared json_t, and a changed copy is a new one).
final class JSONNode: @unchecked Sendable {
  typealias Reference = UnsafeMutablePointer<json_t>

  let reference: Reference

  /// Takes over a reference that the caller owns.
  init(owning reference: Reference) { self.reference = reference }

  deinit { json_decref(reference) }

  var type: json_type { reference.pointee.type }

  /// A reference that jansson has just made; the one place where its failures end.
  ///
  /// It returns none when memory is exhausted or when an argument breaks its rules, which no caller here does. Swift's
  /// own allocations end the process in the first case too.
  static func made(_ reference: Reference?) -> Reference {
    guard let reference else { preconditionFailure("jansson could not make a value: out of memory") }
    return reference
  }

  /// The same for functions that return a status.
  static func done(_ status: CInt) {
    precondition(status == 0, "jansson could not change a value: out of memory")
  }
}

extension JSONNode {
  static func string(_ bytes: UnsafeBufferPointer<UInt8>) -> Reference {
    // jansson measures what it is given, but wants an address even for nothing.
    guard let base = bytes.baseAddress else { return made(json_stringn_nocheck("", 0)) }
    return base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
      made(json_stringn_nocheck($0, bytes.count))
    }
  }

  /// Sets a member of an object that nobody else has yet, taking over the value.
  static func set(_ object: Reference, _ key: UnsafeBufferPointer<UInt8>, _ value: Reference) {
    guard let base = key.baseAddress else { return done(json_object_setn_new_nocheck(object, "", 0, value)) }
    base.withMemoryRebound(to: CChar.self, capacity: key.count) {
      done(json_object_setn_new_nocheck(object, $0, key.count, value))
    }
  }

  /// The member of an object, not retained.
  static func member(_ object: Reference, _ key: UnsafeBufferPointer<UInt8>) -> Reference? {
    guard let base = key.baseAddress else { return json_object_getn(object, "", 0) }
    return base.withMemoryRebound(to: CChar.self, capacity: key.count) { json_object_getn(object, $0, key.count) }
  }

  /// A string's bytes, valid as long as the string is.
  static func bytes(_ string: Reference) -> UnsafeBufferPointer<UInt8> {
    bytes(json_string_value(string), json_string_length(string))
  }

  /// The bytes of a key that an iterator of an object points at.
  static func key(_ iterator: UnsafeMutableRawPointer) -> UnsafeBufferPointer<UInt8> {
    bytes(json_object_iter_key(iterator), json_object_iter_key_len(iterator))
  }

  private static func bytes(_ base: UnsafePointer<CChar>?, _ count: Int) -> UnsafeBufferPointer<UInt8> {
    // CChar and UInt8 have one layout, and both may look at any memory.
    UnsafeBufferPointer(start: UnsafeRawPointer(base)?.assumingMemoryBound(to: UInt8.self), count: count)
  }
}

extension String {
  /// Calls with the string's UTF-8, which a native string has at hand.
  func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
    if let result = try utf8.withContiguousStorageIfAvailable(body) { return result }
    return try Array(utf8).withUnsafeBufferPointer(body)
  }
}
