package import CJansson

// What a library that takes and gives jansson's values works with; no value is copied or converted on the way.
extension JSONValue {
  /// Takes over a reference of the caller's; `nil` when the value is no JSON.
  ///
  /// jansson lets values be made that are inside themselves, deeper than anybody reads, or no UTF-8. Such a value is not
  /// given back either: freeing it could take more stack than there is.
  ///
  /// - Parameter reference: Nobody may change the value from now on.
  package init?(taking reference: UnsafeMutablePointer<json_t>) {
    var check = ReferenceCheck()
    guard check.passes(reference) else { return nil }
    self.init(owning: reference)
  }

  /// Calls with the value as jansson's, which lives as long as the call and must not be changed.
  package func withReference<R>(_ body: (UnsafeMutablePointer<json_t>) throws -> R) rethrows -> R {
    let reference = makeReference()
    defer { json_decref(reference) }
    return try body(reference)
  }

  /// A new reference for the caller, who must not change the value.
  package func newReference() -> UnsafeMutablePointer<json_t> { makeReference() }
}
