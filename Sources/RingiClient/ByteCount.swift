/// A number of bytes for a person.
enum ByteCount {
  /// "512 B", "4.0 KiB", "1.2 GiB": the largest unit that fits at least once.
  static func text(_ bytes: Int64) -> String {
    var (tenths, unit) = (max(0, bytes), "B")
    guard bytes >= 1024 else { return "\(tenths) B" }
    tenths *= 10
    for next in ["KiB", "MiB", "GiB", "TiB"] where tenths >= 10_240 {
      (tenths, unit) = (tenths / 1024, next)
    }
    return "\(tenths / 10).\(tenths % 10) \(unit)"
  }
}
