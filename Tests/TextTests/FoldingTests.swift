import Testing
import Text

@Suite struct FoldingTests {
  @Test(arguments: [
    ("ＡＢＣ１２３", "ABC123"), ("ﾀﾞｲｼﾞｮｳﾌﾞ", "ダイジョウブ"), ("か\u{3099}", "が"), ("㈱", "(株)"), ("①", "1"), ("", ""),
  ])
  func normalizationTakesWidthAndCompositionAway(text: String, form: String) {
    #expect(Array(normalized(text).unicodeScalars) == Array(form.unicodeScalars))
  }

  @Test(arguments: [("Straße", "strasse"), ("ΣΊΣΥΦΟΣ", "σίσυφοσ"), ("ＯＫ", "ok"), ("İ", "i\u{307}"), ("ﬃ", "ffi")])
  func foldingTakesCaseAway(text: String, folded: String) {
    #expect(Array(caseFolded(text).unicodeScalars) == Array(folded.unicodeScalars))
  }

  @Test func foldingTwiceIsFoldingOnce() {
    for value in UInt32(0)...0x1FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let once = caseFolded(String(scalar))
      #expect(caseFolded(once).unicodeScalars.elementsEqual(once.unicodeScalars), "U+\(String(value, radix: 16))")
    }
  }
}
