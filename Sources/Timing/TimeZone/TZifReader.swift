/// Reads the bytes of a TZif file (RFC 9636, versions 1 to 4).
struct TZifReader {
  /// Why the bytes are no TZif file that can be used, as the end of a sentence.
  struct Failure: Error {
    let reason: String
  }

  private struct Header {
    let version: UInt8
    let utIndicators: Int
    let standardIndicators: Int
    let leapSeconds: Int
    let changes: Int
    let types: Int
    let nameBytes: Int

    func blockSize(timeSize: Int) -> Int {
      changes * (timeSize + 1) + types * 6 + nameBytes + leapSeconds * (timeSize + 4) + standardIndicators
        + utIndicators
    }
  }

  private let bytes: [UInt8]
  private var position = 0

  /// Reads all of a file's bytes.
  /// - Throws: `Failure` when they break the format, end early, or count leap seconds.
  static func history(_ bytes: [UInt8]) throws(Failure) -> ZoneHistory {
    var reader = TZifReader(bytes: bytes)
    return try reader.history()
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private mutating func history() throws(Failure) -> ZoneHistory {
    let first = try header()
    guard first.version != 0 else { return try block(first, timeSize: 4) }
    // Times of 32 bits come first, for old readers; those of 64 bits and the rule follow.
    _ = try take(first.blockSize(timeSize: 4))
    let second = try header()
    var history = try block(second, timeSize: 8)
    history.rule = try footer()
    return history
  }

  private mutating func header() throws(Failure) -> Header {
    guard try take(4).elementsEqual("TZif".utf8) else { throw Failure(reason: "it does not begin with TZif") }
    let version = try take(1).first ?? 0
    _ = try take(15)
    return Header(
      version: version, utIndicators: try count(), standardIndicators: try count(), leapSeconds: try count(),
      changes: try count(), types: try count(), nameBytes: try count())
  }

  private mutating func block(_ header: Header, timeSize: Int) throws(Failure) -> ZoneHistory {
    guard header.leapSeconds == 0 else { throw Failure(reason: "it counts leap seconds, which no clock here does") }
    let changeBytes = try take(header.changes * timeSize)
    let typeIndices = try take(header.changes)
    let typeBytes = try take(header.types * 6)
    _ = try take(header.nameBytes + header.standardIndicators + header.utIndicators)

    let changes = (0..<header.changes).map { Self.integer(changeBytes.dropFirst($0 * timeSize).prefix(timeSize)) }
    let types = (0..<header.types).map { Self.integer(typeBytes.dropFirst($0 * 6).prefix(4)) }
    guard zip(changes, changes.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw Failure(reason: "its changes are not in order")
    }
    guard let first = types.first, typeIndices.allSatisfy({ Int($0) < types.count }) else {
      throw Failure(reason: "it names an offset that it does not have")
    }
    guard types.allSatisfy({ abs($0) < ZonePeriod.longestOffset }) else {
      throw Failure(reason: "it has an offset of more than a day")
    }
    return ZoneHistory(changes: changes, offsets: [first] + typeIndices.map { types[Int($0)] }, rule: nil)
  }

  /// Takes the rule between two line feeds; an empty one means that there is none.
  private mutating func footer() throws(Failure) -> ZoneRule? {
    guard try take(1).first == UInt8(ascii: "\n"), let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n"))
    else { throw Failure(reason: "it ends without its rule") }
    let text = String(decoding: try take(end - position), as: UTF8.self)
    if text.isEmpty { return nil }
    guard let rule = ZoneRule(text) else { throw Failure(reason: "its rule \"\(text)\" is none") }
    return rule
  }

  private mutating func count() throws(Failure) -> Int {
    let value = Self.integer(try take(4))
    guard (0...Int64(bytes.count)).contains(value) else { throw Failure(reason: "it is cut short") }
    return Int(value)
  }

  private mutating func take(_ count: Int) throws(Failure) -> ArraySlice<UInt8> {
    guard count <= bytes.count - position else { throw Failure(reason: "it is cut short") }
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// A signed integer of four or eight bytes, the most significant first.
  private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64 {
    let negative = (bytes.first ?? 0) >= 0x80
    return bytes.reduce(negative ? -1 : 0) { $0 << 8 | Int64($1) }
  }
}
