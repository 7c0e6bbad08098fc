package import EventLoop
internal import Glibc
internal import HTTP
package import JSON

/// Takes the values of secrets out of whatever leaves the agent: log lines, errors, events, status.
@Loop
package final class Redactor {
  package static let mark = "•••"

  /// How many of the values that come and go are kept in mind, the newest.
  private static let passingLimit = 64

  /// The forms of the secrets that stay, and of those that come and go, oldest first.
  private var lasting: Set<String> = []
  private var passing: [(secret: String, forms: Set<String>)] = []
  private var needles: [[UInt8]] = []

  package init() {}

  /// Makes a value unspeakable; values under four bytes are too common to look for.
  package func add(_ secret: String) {
    guard secret.utf8.count >= 4 else { return }
    lasting.formUnion(Self.forms(of: secret))
    sharpen()
  }

  /// Makes a value unspeakable that is renewed now and then, such as an access token: after many others it is forgotten.
  package func addPassing(_ secret: String) {
    guard secret.utf8.count >= 4, !passing.contains(where: { $0.secret == secret }) else { return }
    passing.append((secret, Self.forms(of: secret)))
    if passing.count > Self.passingLimit { passing.removeFirst() }
    sharpen()
  }

  /// The forms a secret may show in: as it is, in base64, percent-encoded, as JSON writes it.
  private static func forms(of secret: String) -> Set<String> {
    let quoted = JSONValue(secret).description.dropFirst().dropLast()
    var forms = Set([secret, String(quoted), Base64.encode(secret.utf8)] + PercentEncoding.forms(of: secret))
    // Without its first and last characters base64 still shows when the secret stands inside a longer text.
    for shift in 0..<3 { forms.insert(Base64.inner(secret.utf8, shift: shift)) }
    return forms.filter { $0.utf8.count >= 4 }
  }

  private func sharpen() {
    let forms = passing.reduce(into: lasting) { $0.formUnion($1.forms) }
    needles = forms.map { Array($0.utf8) }.sorted { $0.count > $1.count }
  }

  /// The text with each form of each secret replaced.
  package func redact(_ text: String) -> String {
    guard !needles.isEmpty else { return text }
    var bytes = Array(text.utf8)
    return replace(in: &bytes) ? String(decoding: bytes, as: UTF8.self) : text
  }

  /// The value with each form of each secret replaced, in keys and strings at any depth.
  package func redact(_ value: JSONValue) -> JSONValue {
    guard !needles.isEmpty else { return value }
    var bytes = value.utf8
    return replace(in: &bytes) ? clean(value) : value
  }

  private func clean(_ value: JSONValue) -> JSONValue {
    if let text = value.string { return JSONValue(redact(text)) }
    if let array = value.array { return JSONValue(array: array.map(clean)) }
    if let object = value.object { return JSONValue(object: object.map { (redact($0.key), clean($0.value)) }) }
    // A secret of digits alone may stand in a number.
    let text = value.description
    return redact(text) == text ? value : JSONValue(Self.mark)
  }

  private func replace(in bytes: inout [UInt8]) -> Bool {
    var found = false
    for needle in needles {
      var start = 0
      while let place = bytes.firstRange(of: needle, from: start) {
        bytes.replaceSubrange(place, with: Self.mark.utf8)
        start = place.lowerBound + Self.mark.utf8.count
        found = true
      }
    }
    return found
  }
}

extension [UInt8] {
  fileprivate func firstRange(of needle: [UInt8], from start: Int) -> Range<Int>? {
    guard count - start >= needle.count else { return nil }
    return withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let first = needle.first else { return nil }
      var place = start
      while place + needle.count <= bytes.count,
        let found = memchr(base + place, CInt(first), bytes.count - place - needle.count + 1)
      {
        place = UnsafeRawPointer(found) - base
        if memcmp(base + place, needle, needle.count) == 0 { return place..<place + needle.count }
        place += 1
      }
      return nil
    }
  }
}
