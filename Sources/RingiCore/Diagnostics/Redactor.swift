package import EventLoop
internal import Glibc
internal import HTTP
package import JSON

/// Takes the values of secrets out of whatever leaves the agent: log lines, errors, events, status.
@Loop
package final class Redactor {
  package static let mark = "•••"

  /// The forms a secret may show in: as it is, in base64, percent-encoded, as JSON writes it.
  private var forms: Set<String> = []
  private var needles: [[UInt8]] = []

  package init() {}

  /// Makes a value unspeakable; values under four bytes are too common to look for.
  package func add(_ secret: String) {
    guard secret.utf8.count >= 4 else { return }
    let quoted = JSONValue(secret).description.dropFirst().dropLast()
    for form in [secret, String(quoted), Base64.encode(secret.utf8)] + PercentEncoding.forms(of: secret) {
      forms.insert(form)
    }
    // Without its first and last characters base64 still shows when the secret stands inside a longer text.
    for shift in 0..<3 { forms.insert(Base64.inner(secret.utf8, shift: shift)) }
    needles = forms.filter { $0.utf8.count >= 4 }.map { Array($0.utf8) }.sorted { $0.count > $1.count }
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
    guard replace(in: &bytes), let clean = try? JSONValue(parsing: bytes, options: .init(maxDepth: 1024)) else {
      return value
    }
    return clean
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
