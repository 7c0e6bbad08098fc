package import EventLoop
package import JSON

/// Takes the values of secrets out of whatever leaves the agent: log lines, errors, events, status.
@Loop
package final class Redactor {
  package static let mark = "•••"

  /// How many of an owner's values that come and go are kept in mind, the newest.
  private static let passingLimit = 32

  /// The secrets that stay.
  private var lasting: Set<String> = []
  /// Those that come and go, by owner, oldest first.
  private var passing: [String: [String]] = [:]
  /// All of them, and the lines of those that have several.
  private var patterns: [SecretPattern] = []
  /// Which of the patterns a byte of a text may begin.
  private var begun: [[Int]] = []

  package init() {}

  /// Makes a value unspeakable, and its lines; values under four bytes are too common to look for.
  package func add(_ secret: String) {
    if lasting.insert(secret).inserted { sharpen() }
  }

  /// Makes a value unspeakable that is renewed now and then, such as an access token.
  ///
  /// After many others of the same owner it is forgotten, unless it is added again meanwhile.
  package func addPassing(_ secret: String, of owner: String) {
    var values = passing[owner, default: []]
    let place = values.firstIndex(of: secret)
    if let place { values.remove(at: place) }
    values.append(secret)
    if values.count > Self.passingLimit { values.removeFirst() }
    passing[owner] = values
    if place == nil { sharpen() }
  }

  private func sharpen() {
    let values = lasting.union(passing.values.joined())
    patterns = values.union(values.flatMap(Self.lines)).compactMap { SecretPattern($0) }
    begun = (UInt8.min...UInt8.max).map { byte in patterns.indices.filter { patterns[$0].begins(with: byte) } }
  }

  /// The lines of a value that has several: it is written and read line by line, such as a key in PEM (RFC 7468).
  ///
  /// Shorter ones than eight bytes are too common to look for.
  private static func lines(of secret: String) -> [String] {
    guard secret.contains(where: \.isNewline) else { return [] }
    return secret.split(whereSeparator: \.isNewline).map { line in
      var line = line.drop(while: \.isWhitespace)
      while line.last?.isWhitespace == true { line.removeLast() }
      return String(line)
    }.filter { $0.utf8.count >= 8 }
  }

  /// The text with each form of each secret replaced.
  package func redact(_ text: String) -> String {
    guard !patterns.isEmpty else { return text }
    var text = text
    return text.withUTF8 { replaced($0, []) } ?? text
  }

  /// The text without what it shows of secrets, at the edges where it was cut the part of one too.
  func redact(_ text: [UInt8], cut edges: CutEdges) -> String {
    text.withUnsafeBufferPointer { replaced($0, edges) } ?? String(decoding: text, as: UTF8.self)
  }

  /// The value with each form of each secret replaced, in keys and strings at any depth.
  package func redact(_ value: JSONValue) -> JSONValue {
    patterns.isEmpty || !isShown(in: value) ? value : clean(value)
  }

  private func isShown(in value: JSONValue) -> Bool {
    if let isShown = value.withUTF8({ isShown(in: $0) }) { return isShown }
    if let array = value.array { return array.contains { isShown(in: $0) } }
    if let object = value.object { return object.contains { isShown(in: $0.key) || isShown(in: $0.value) } }
    // A secret of digits alone may stand in a number.
    return isShown(in: value.description)
  }

  private func isShown(in text: String) -> Bool {
    var text = text
    return text.withUTF8 { isShown(in: $0) }
  }

  private func isShown(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.indices.contains { place in
      begun[Int(text[place])].contains { patterns[$0].end(in: text, from: place) != nil }
    }
  }

  private func clean(_ value: JSONValue) -> JSONValue {
    if let text = value.string { return JSONValue(redact(text)) }
    if let array = value.array { return JSONValue(array: array.map(clean)) }
    if let object = value.object { return JSONValue(object: object.map { (redact($0.key), clean($0.value)) }) }
    return isShown(in: value) ? JSONValue(Self.mark) : value
  }

  /// The text without what it shows; `nil` when it shows nothing.
  private func replaced(_ text: UnsafeBufferPointer<UInt8>, _ edges: CutEdges) -> String? {
    let ranges = Self.merged(shown(in: text) + shown(at: edges, of: text))
    guard !ranges.isEmpty else { return nil }
    var output: [UInt8] = []
    var start = 0
    for range in ranges {
      output += text[start..<range.lowerBound]
      output += Self.mark.utf8
      start = range.upperBound
    }
    return String(decoding: output + text[start...], as: UTF8.self)
  }

  /// Where a text shows secrets.
  private func shown(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    guard !patterns.isEmpty else { return [] }
    var ranges: [Range<Int>] = []
    // Where each pattern was found last ends, so that it is not looked for inside of itself.
    var ends = [Int](repeating: 0, count: patterns.count)
    for place in text.indices {
      for index in begun[Int(text[place])] where place >= ends[index] {
        guard let end = patterns[index].end(in: text, from: place) else { continue }
        ends[index] = end
        ranges.append(place..<end)
      }
    }
    return ranges
  }

  /// Where a text shows a part of a secret because the rest was cut off.
  private func shown(at edges: CutEdges, of text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    if edges.contains(.front), let end = patterns.compactMap({ $0.endOfRest(in: text) }).max() {
      ranges.append(0..<end)
    }
    if edges.contains(.back), !patterns.isEmpty {
      let start = text.indices.first { place in
        begun[Int(text[place])].contains { patterns[$0].isBegun(in: text, from: place) }
      }
      if let start { ranges.append(start..<text.count) }
    }
    return ranges
  }

  /// The ranges in their order, those that overlap as one: half of a secret must not be left where another begins.
  private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
    ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { merged, range in
      guard let last = merged.last, range.lowerBound < last.upperBound else { return merged.append(range) }
      merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
    }
  }
}
