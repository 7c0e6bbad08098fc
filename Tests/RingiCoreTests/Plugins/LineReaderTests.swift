import Testing

@testable import RingiCore

struct LineReaderTests {
  /// The lines, with `…` after a cut one, of a text that comes in pieces of so many bytes.
  private func lines(_ text: String, limit: Int, by size: Int) -> [String] {
    var reader = LineReader(limit: limit)
    var lines: [String] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      bytes[start..<min(bytes.count, start + size)].withUnsafeBytes { piece in
        lines += reader.take(piece).map { String(decoding: $0.text, as: UTF8.self) + ($0.isCut ? "…" : "") }
      }
    }
    if let rest = reader.finish() { lines.append("rest \(String(decoding: rest, as: UTF8.self))") }
    return lines
  }

  @Test("Lines are the same however they come", arguments: [1, 2, 3, 5, 100])
  func pieces(size: Int) {
    #expect(lines("ab\n\nabcd\nx", limit: 4, by: size) == ["ab", "", "abcd", "rest x"])
  }

  @Test("Of a line that is too long the beginning is handed out once, and the rest is dropped", arguments: [1, 3, 100])
  func long(size: Int) {
    #expect(lines("abcdefgh\nij\nklmnopq", limit: 4, by: size) == ["abcd…", "ij", "klmn…"])
  }
}
