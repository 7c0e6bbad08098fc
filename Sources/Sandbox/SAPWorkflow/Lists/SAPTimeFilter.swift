internal import HTTPServer
internal import Timing

/// `(xFrom AND xUpTo) OR xAt` over one time of a row; bounds belong to the range.
struct SAPTimeFilter {
  /// The names of the three parameters.
  struct Names {
    let at: String
    let from: String
    let upTo: String

    init(_ prefix: String, at: String? = nil) {
      self.at = at ?? prefix + "At"
      from = prefix + "From"
      upTo = prefix + "UpTo"
    }
  }

  private let moments: [Timestamp]
  private let from: Timestamp?
  private let upTo: Timestamp?

  /// - Throws: 400 for a text that is not one of the two formats, and for a range that ends before it begins.
  init(_ names: Names, _ values: (String) -> [String]) throws(SAPError) {
    moments = try Self.times(names.at, values)
    from = try Self.times(names.from, values).min()
    upTo = try Self.times(names.upTo, values).max()
    if let from, let upTo, from > upTo { throw .badQuery("\(names.from) is after \(names.upTo).") }
  }

  func accepts(_ time: Timestamp?) -> Bool {
    let hasRange = from != nil || upTo != nil
    if moments.isEmpty && !hasRange { return true }
    guard let time else { return false }
    return moments.contains(time) || (hasRange && time >= from ?? .earliest && time <= upTo ?? .latest)
  }

  private static func times(_ name: String, _ values: (String) -> [String]) throws(SAPError) -> [Timestamp] {
    var times: [Timestamp] = []
    for text in values(name) {
      guard let time = SAPTime.parse(text) else {
        throw .badQuery("\(name) takes yyyy-MM-dd'T'HH:mm:ss.SSS'Z' or yyyyMMddHHmmss.SSS.")
      }
      times.append(time)
    }
    return times
  }
}
