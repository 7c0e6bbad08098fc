package import JSON

/// The short hash that binds a decision to what the person saw.
package enum Revision {
  /// FNV-1a over the values' JSON text, 64 bits, as 16 hex digits: stable between runs and machines.
  ///
  /// It tells a changed task from an unchanged one; it is no defence against somebody who forges a task on purpose,
  /// since only the backend, which is trusted with the task itself, can choose its input.
  package static func of(_ values: [JSONValue]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in JSONValue(array: values).canonicalUTF8 {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}

extension JSONValue {
  /// The text with members sorted by key, so that a backend's changing order changes no hash.
  package var canonicalUTF8: [UInt8] { canonical.utf8 }

  private var canonical: JSONValue {
    if let array { return JSONValue(array: array.map(\.canonical)) }
    guard let object else { return self }
    return JSONValue(object: object.sorted { $0.key < $1.key }.map { ($0.key, $0.value.canonical) })
  }
}
