import Testing
import Text

@Suite struct VisibleTests {
  @Test func escapeSequencesAreShownNotSent() {
    #expect(visible("\u{1B}]0;x\u{07}\u{1B}[2J\u{202E}gnp.exe") == "␛]0;x␇␛[2J<U+202E>gnp.exe")
  }

  @Test func aTextBecomesOneLine() {
    #expect(visible("a\u{0}b\nc\r\nd\te\u{85}f\u{2028}g\u{2029}h\u{7F}") == "a␀b␊c␍␊d␉e<U+0085>f<U+2028>g<U+2029>h␡")
  }

  @Test(arguments: ["発注300280の承認", "👩‍💻 review", "cafe\u{301}", "הזמנה\u{200F}", "", "a\u{A0}b"])
  func ordinaryTextStaysAsItIs(text: String) {
    #expect(Array(visible(text).utf8) == Array(text.utf8))
  }

  @Test func nothingThatActsIsLeft() {
    for value in UInt32(0)...0xFFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let shown = visible("x\(scalar)").unicodeScalars
      #expect(!shown.contains { $0.properties.generalCategory == .control || $0.value == 0x202E || $0.value == 0x2067 })
    }
  }
}
