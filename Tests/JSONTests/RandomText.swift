/// A random generator that gives the same numbers on each run.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { self.state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// JSON texts with all that JSON may hold, in unusual forms.
enum RandomText {
  static func make(_ random: inout SplitMix) -> [UInt8] {
    var text: [UInt8] = []
    value(depth: 0, &text, &random)
    return text
  }

  private static func pick(_ choices: [String], _ text: inout [UInt8], _ random: inout SplitMix) {
    text += (choices.randomElement(using: &random) ?? "").utf8
  }

  private static func space(_ text: inout [UInt8], _ random: inout SplitMix) {
    pick(["", "", "", " ", "\n", "\t\r ", "          "], &text, &random)
  }

  private static func value(depth: Int, _ text: inout [UInt8], _ random: inout SplitMix) {
    space(&text, &random)
    switch Int.random(in: 0..<(depth < 5 ? 10 : 6), using: &random) {
    case 0: pick(["null", "true", "false"], &text, &random)
    case 1, 2: number(&text, &random)
    case 3, 4, 5: string(&text, &random)
    case 6, 7: list("[", "]", depth, &text, &random) { value(depth: depth + 1, &$0, &$1) }
    default:
      list("{", "}", depth, &text, &random) { text, random in
        space(&text, &random)
        string(&text, &random)
        space(&text, &random)
        text += ":".utf8
        value(depth: depth + 1, &text, &random)
      }
    }
    space(&text, &random)
  }

  private static func list(
    _ open: String, _ close: String, _ depth: Int, _ text: inout [UInt8], _ random: inout SplitMix,
    _ part: (inout [UInt8], inout SplitMix) -> Void
  ) {
    text += open.utf8
    let count = Int.random(in: 0...4, using: &random)
    if count == 0 { space(&text, &random) }
    for index in 0..<count {
      if index > 0 { text += ",".utf8 }
      part(&text, &random)
    }
    text += close.utf8
  }

  private static func number(_ text: inout [UInt8], _ random: inout SplitMix) {
    pick(["", "-"], &text, &random)
    pick(["0", "7", "68", "123456789012345678", "9223372036854775807", "1000000"], &text, &random)
    pick(["", "", ".0", ".32", ".000000000000000000001"], &text, &random)
    pick(["", "", "", "e2", "E-3", "e+10", "e-400"], &text, &random)
  }

  private static func string(_ text: inout [UInt8], _ random: inout SplitMix) {
    text += "\"".utf8
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      pick(
        [
          "a", "key", "だっふんだ", "é", "😀", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\ud83d\\ude00", "\u{7F}",
          "plain ASCII that is longer than eight bytes", "{[,:]}",
        ], &text, &random)
    }
    text += "\"".utf8
  }

  /// The text with one to three faults: bytes changed, put in, taken out, moved, or its end cut off.
  static func damaged(_ text: [UInt8], _ random: inout SplitMix) -> [UInt8] {
    let likely = Array("{}[]\",:\\ue0-.1\n\u{0}\u{FF} tfn".utf8) + [0x80, 0xC3, 0xED, 0xF4, 0xFF]
    var text = text
    for _ in 0..<Int.random(in: 1...3, using: &random) where !text.isEmpty {
      let index = text.indices.randomElement(using: &random) ?? 0
      let byte = likely.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<6, using: &random) {
      case 0: text[index] = byte
      case 1: text.insert(byte, at: index)
      case 2: text.remove(at: index)
      case 3: text.swapAt(index, text.indices.randomElement(using: &random) ?? 0)
      case 4: text.insert(contentsOf: text[index..<min(index + 5, text.count)], at: index)
      default: if Bool.random(using: &random) { text.removeLast(text.count - index) }
      }
    }
    return text
  }
}
