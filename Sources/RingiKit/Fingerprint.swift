/// A fast hash that tells changed bytes from unchanged ones, the same in every process and on every machine.
///
/// Like a task's revision it is no defence against somebody who seeks two records with the same fingerprint: only the
/// backend, which is trusted with the tasks themselves, could.
public enum Fingerprint {
  /// The fingerprint of a record's bytes, or of whatever else a task is made of.
  public static func of(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let raw = UnsafeRawBufferPointer(bytes)
    let whole = raw.count & ~7
    // The length tells zeros at the end from the padding.
    var hash = mix(0xe703_7ed1_a0b4_28db, UInt64(raw.count))
    for offset in stride(from: 0, to: whole, by: 8) {
      hash = mix(hash, UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
    }
    var rest: UInt64 = 0
    for offset in (whole..<raw.count).reversed() { rest = rest << 8 | UInt64(raw[offset]) }
    return mix(hash, rest)
  }

  public static func of(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBufferPointer { of($0) } }

  /// Both halves of the product count: the lower one alone would carry a change of high bits no further down.
  @inline(__always)
  private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let (high, low) = (hash ^ word).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
    return high ^ low
  }
}
