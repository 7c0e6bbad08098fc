import CJansson
import JSON
import Testing

/// The same texts through jansson's own reader: what it accepts we accept, as the same value, and nothing else.
@Suite struct JanssonComparisonTests {
  /// Whether both readers agree about a text.
  private func agrees(_ text: [UInt8]) -> Bool {
    let value = try? JSONValue(parsing: text)
    // jansson takes a zero byte after a number for the end of the text; it is never part of one (RFC 8259, section 2).
    guard !text.contains(0) else { return value == nil }
    let reference = text.withUnsafeBytes {
      json_loadb(
        $0.bindMemory(to: CChar.self).baseAddress, $0.count, Int(JSON_DECODE_ANY | JSON_ALLOW_NUL), nil)
    }
    defer { json_decref(reference) }
    guard let value, let reference else { return value == nil && reference == nil }
    return isSame(value, reference)
  }

  private func isSame(_ value: JSONValue, _ reference: UnsafeMutablePointer<json_t>) -> Bool {
    switch (value.kind, reference.pointee.type) {
    case (.null, JSON_NULL): true
    case (.bool, JSON_TRUE): value.bool == true
    case (.bool, JSON_FALSE): value.bool == false
    case (.integer, JSON_INTEGER): value.int == Int64(json_integer_value(reference))
    case (.real, JSON_REAL): value.double?.bitPattern == json_real_value(reference).bitPattern
    case (.string, JSON_STRING):
      value.string?.utf8.elementsEqual(
        bytes(json_string_value(reference), json_string_length(reference))) == true
    case (.array, JSON_ARRAY):
      value.array?.count == json_array_size(reference)
        && value.array?.enumerated().allSatisfy { index, element in
          json_array_get(reference, index).map { isSame(element, $0) } == true
        } == true
    case (.object, JSON_OBJECT): isSame(value.object, reference)
    default: false
    }
  }

  private func isSame(_ object: JSONObject?, _ reference: UnsafeMutablePointer<json_t>) -> Bool {
    guard let object, object.count == json_object_size(reference) else { return false }
    var iterator = json_object_iter(reference)
    for (key, value) in object {
      guard let here = iterator, let member = json_object_iter_value(here) else { return false }
      let name = bytes(json_object_iter_key(here), json_object_iter_key_len(here))
      guard key.utf8.elementsEqual(name), isSame(value, member) else { return false }
      iterator = json_object_iter_next(reference, here)
    }
    return iterator == nil
  }

  private func bytes(_ base: UnsafePointer<CChar>?, _ count: Int) -> [UInt8] {
    UnsafeBufferPointer(start: base, count: count).map { UInt8(bitPattern: $0) }
  }

  @Test func agreesOnEveryShortTextOfTheCharactersThatMatter() {
    let alphabet = Array("[]{},:\"\\u0-1.eE+ nt\n\u{0}".utf8)
    var texts: [[UInt8]] = [[]]
    var wrong: [[UInt8]] = []
    for _ in 0..<3 {
      texts = texts.flatMap { text in alphabet.map { text + [$0] } }
      wrong += texts.filter { !agrees($0) }
    }
    #expect(wrong.isEmpty)
  }

  /// First bytes at each edge of what RFC 3629 tells apart, with all second bytes; third and fourth ones at the edges.
  @Test func agreesOnUTF8() {
    let firsts: [UInt8] = [
      0x00, 0x1F, 0x20, 0x7F, 0x80, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3,
      0xF4, 0xF5, 0xFF,
    ]
    let seconds: [UInt8] = [0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0]
    let others: [UInt8] = [0x22, 0x7F, 0x80, 0xBF, 0xC0]
    var wrong: [[UInt8]] = []
    func check(_ bytes: UInt8...) {
      let text = [0x22] + bytes + [0x22]
      if !agrees(text) { wrong.append(text) }
    }
    for first in firsts {
      check(first)
      for second in UInt8.min...UInt8.max { check(first, second) }
      guard first >= 0xC0 else { continue }
      for second in seconds {
        for third in others {
          check(first, second, third)
          for fourth in others { check(first, second, third, fourth) }
        }
      }
    }
    #expect(wrong.isEmpty)
  }

  /// Surrogates in escapes: each half with each neighbour.
  @Test func agreesOnEscapedSurrogates() {
    let units = [
      "\\u0000", "\\ud7ff", "\\ud800", "\\udbFF", "\\uDC00", "\\uDFFF", "\\ue000", "x", "\\n", "\\ud8", "\\u",
    ]
    let texts = units.flatMap { first in units.flatMap { second in units.map { "\"\(first)\(second)\($0)\"" } } }
    #expect(texts.filter { !agrees(Array($0.utf8)) } == [])
    #expect(texts.filter { !agrees(Array("{\($0):1}".utf8)) } == [])
  }

  @Test(arguments: [
    "-0", "-0.0", "0e0", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615",
    "1e308", "1.7976931348623157e308", "1.7976931348623159e308", "1e309", "-1e309", "1e999999999999999999999",
    "0e999999999999999999999", "1e-999999999999999999999", "5e-324", "2e-324", "1E+2", "1e+", "1.", ".1", "+1", "01",
    "-",
    "--1", "0x1", "1_0", "0.1e1", "NaN", "Infinity", "00", "-01", "1e5.5", "12345678901234567.0",
  ])
  func agreesOnNumbers(_ text: String) {
    #expect(agrees(Array(text.utf8)))
    #expect(agrees(Array("[\(text)]".utf8)))
  }

  @Test func agreesOnLongNumbers() {
    for count in [17, 18, 19, 20, 99, 100, 101, 308, 309, 310, 400] {
      for text in [
        String(repeating: "9", count: count) + ".5", String(repeating: "1", count: count) + "e1",
        "0." + String(repeating: "0", count: count) + "1e\(count)",
        "1" + String(repeating: "0", count: count) + "e-\(count)",
        String(repeating: "9", count: count), "-" + String(repeating: "1", count: count),
      ] {
        #expect(agrees(Array(text.utf8)), "\(text)")
      }
    }
  }

  @Test(arguments: 0..<16)
  func agreesOnTextsWithFaults(_ seed: UInt64) {
    var random = SplitMix(seed: seed)
    var wrong: [[UInt8]] = []
    var accepted = 0
    for _ in 0..<300 {
      let text = RandomText.make(&random)
      if !agrees(text) { wrong.append(text) }
      for _ in 0..<4 {
        let broken = RandomText.damaged(text, &random)
        if !agrees(broken) { wrong.append(broken) }
        if (try? JSONValue(parsing: broken)) != nil { accepted += 1 }
      }
    }
    #expect(wrong.map { String(decoding: $0, as: UTF8.self) } == [])
    // Damage that were never or always noticed would prove nothing.
    #expect(accepted > 50 && accepted < 1000)
  }
}
