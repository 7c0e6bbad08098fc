import Testing
import Text

@Suite struct PhraseKeyTests {
  @Test(arguments: [
    ("だいじょぶだぁ！", "だいじょぶだぁ"), ("だいじょぶだぁ!", "だいじょぶだぁ"), ("　「だいじょぶだぁ」。\n", "だいじょぶだぁ"),
    ("だいじょぶだぁ〜♪", "だいじょぶだぁ〜♪"), ("だっふんだ～", "だっふんだ"), ("だっふんだ〜", "だっふんだ"), ("た\u{3099}っふん", "だっふん"),
    ("Ship it!!", "ship it"), ("ＳＨＩＰ　ＩＴ", "ship it"), ("…¿Qué?", "qué"), ("\u{FEFF}go\u{200B}", "go"),
  ])
  func edgesWidthAndCaseDoNotCount(text: String, key: String) {
    #expect(phraseKey(text) == key)
  }

  @Test(arguments: [
    ("だいじょぶだぁ", "ダイジョブダァ"), ("だいじょぶだぁ！", "ﾀﾞｲｼﾞｮﾌﾞﾀﾞｧ"), ("だいじょぶだぁ", "だいじょぶだ"), ("か", "が"), ("+1", "1"),
    ("go, on", "go on"),
  ])
  func whatIsSaidCounts(one: String, other: String) {
    #expect(phraseKey(one) != phraseKey(other))
  }

  @Test func halfWidthKatakanaIsKatakana() {
    #expect(phraseKey("ﾀﾞｲｼﾞｮﾌﾞﾀﾞｧ!") == phraseKey("ダイジョブダァ"))
  }

  @Test(arguments: ["", " \t\n", "！？。", "\u{0}", "「」"])
  func nothingSaidHasAnEmptyKey(text: String) {
    #expect(phraseKey(text).isEmpty)
  }
}
