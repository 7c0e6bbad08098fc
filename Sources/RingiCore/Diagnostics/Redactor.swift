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
  /// All of them, the longest first.
  private var patterns: [SecretPattern] = []

  package init() {}

  /// Makes a value unspeakable; values under four bytes are too common to look for.
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
    patterns = lasting.union(passing.values.joined()).compactMap { SecretPattern($0) }.sorted { $0.count > $1.count }
  }

  /// The text with each form of each secret replaced.
  package func redact(_ text: String) -> String {
    guard !patterns.isEmpty else { return text }
    var text = text
    return text.withUTF8 { replaced($0) } ?? text
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
    patterns.contains { $0.firstRange(in: text) != nil }
  }

  private func clean(_ value: JSONValue) -> JSONValue {
    if let text = value.string { return JSONValue(redact(text)) }
    if let array = value.array { return JSONValue(array: array.map(clean)) }
    if let object = value.object { return JSONValue(object: object.map { (redact($0.key), clean($0.value)) }) }
    return isShown(in: value) ? JSONValue(Self.mark) : value
  }

  /// The text without what it shows; `nil` when it shows nothing.
  private func replaced(_ text: UnsafeBufferPointer<UInt8>) -> String? {
    var result: [UInt8]?
    for pattern in patterns {
      if let output = result.map({ $0.withUnsafeBufferPointer { replaced($0, pattern) } }) ?? replaced(text, pattern) {
        result = output
      }
    }
    return result.map { String(decoding: $0, as: UTF8.self) }
  }

  private func replaced(_ text: UnsafeBufferPointer<UInt8>, _ pattern: SecretPattern) -> [UInt8]? {
    guard var place = pattern.firstRange(in: text) else { return nil }
    var output: [UInt8] = []
    var start = 0
    while true {
      output += text[start..<place.lowerBound]
      output += Self.mark.utf8
      start = place.upperBound
      guard let next = pattern.firstRange(in: text, from: start) else { break }
      place = next
    }
    return output + text[start...]
  }
}
