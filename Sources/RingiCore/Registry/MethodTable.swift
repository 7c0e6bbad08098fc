package import RingiKit

/// Methods by name, found by the name's bytes: open addressing, built once, never changed.
package struct MethodTable: Sendable {
  /// Sorted by name.
  package let methods: [Method]
  private let names: [[UInt8]]
  /// An index into `methods`, or -1.
  private let buckets: [Int32]
  private let mask: Int

  /// Makes a table.
  ///
  /// - Parameter methods: The methods; no two have one name.
  package init(_ methods: [Method]) {
    let sorted = methods.sorted { $0.name < $1.name }
    let names = sorted.map { Array($0.name.utf8) }
    var size = 16
    while size < sorted.count * 3 { size *= 2 }
    var buckets = [Int32](repeating: -1, count: size)
    for (index, name) in names.enumerated() {
      var place = name.withUnsafeBufferPointer { Self.hash($0) } & (size - 1)
      while buckets[place] >= 0 { place = (place + 1) & (size - 1) }
      buckets[place] = Int32(index)
    }
    self.methods = sorted
    self.names = names
    self.buckets = buckets
    mask = size - 1
  }

  /// The index in ``methods`` of the method with a name.
  package func index(of name: UnsafeBufferPointer<UInt8>) -> Int? {
    var place = Self.hash(name) & mask
    while buckets[place] >= 0 {
      let index = Int(buckets[place])
      if names[index].count == name.count, names[index].elementsEqual(name) { return index }
      place = (place + 1) & mask
    }
    return nil
  }

  package func index(of name: String) -> Int? {
    var name = name
    return name.withUTF8 { index(of: $0) }
  }

  /// FNV-1a.
  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return Int(truncatingIfNeeded: hash ^ hash >> 32)
  }
}
