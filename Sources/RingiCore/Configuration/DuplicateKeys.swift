internal import JSON

/// The keys that objects of a text have twice.
///
/// JSON's readers keep the last of them and say nothing, or stop at the first; a person wants to know of all.
struct DuplicateKeys {
  private(set) var found: [(key: String, place: TextPlace)] = []
  private let scanner = JSONScanner(JSONParsingOptions(maxDepth: JSONParsingOptions.depthLimit))

  /// Looks through a text, which was parsed before.
  init(in text: [UInt8]) {
    text.withUnsafeBufferPointer { search($0, 0..<$0.count) }
  }

  private mutating func search(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
    let first = text[range].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return }
    let part = UnsafeBufferPointer(rebasing: text[range])
    var parts: [Range<Int>] = []
    var seen: Set<String> = []
    var doubles: [(key: String, byte: Int)] = []
    // The text was parsed, so it scans without errors.
    let isObject = try? scanner.members(of: part) { member in
      parts.append(member.value)
      let key = Self.key(part[member.key], hasEscapes: member.keyHasEscapes)
      if !seen.insert(key).inserted { doubles.append((key, member.key.lowerBound - 1)) }
    }
    if isObject == false { _ = try? scanner.elements(of: part) { parts.append($0) } }
    found += doubles.map { ($0.key, TextPlace(of: range.lowerBound + $0.byte, in: text)) }
    for part in parts { search(text, part.lowerBound + range.lowerBound..<part.upperBound + range.lowerBound) }
  }

  private static func key(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, hasEscapes: Bool) -> String {
    let written = String(decoding: bytes, as: UTF8.self)
    guard hasEscapes, let key = try? JSONValue(parsing: "\"\(written)\"") else { return written }
    return key.string ?? written
  }
}
