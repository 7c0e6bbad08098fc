internal import Glibc

/// Looking into bodies without making text of them.
enum NowWebBytes {
  static func contains(_ text: String, in body: [UInt8]) -> Bool {
    !places(of: Array(text.utf8), in: body, limit: 1).isEmpty
  }

  /// Where `needle` begins in `body`, first to last.
  static func places(of needle: [UInt8], in body: [UInt8], limit: Int = .max) -> [Int] {
    guard let first = needle.first else { return [] }
    var places: [Int] = []
    body.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      var start = 0
      while places.count < limit, start + needle.count <= bytes.count,
        let found = memchr(base + start, CInt(first), bytes.count - needle.count + 1 - start)
      {
        let place = base.distance(to: UnsafeRawPointer(found))
        let isThere = memcmp(base + place, needle, needle.count) == 0
        if isThere { places.append(place) }
        start = place + (isThere ? needle.count : 1)
      }
    }
    return places
  }
}
