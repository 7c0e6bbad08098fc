import Testing
import Text

@Suite struct DisplayWidthTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("発注300280の承認", 16), ("ｶﾌﾞｼｷ", 5), ("か\u{3099}", 2), ("cafe\u{301}", 4), ("ＡＢ", 4), ("　", 2),
    ("한글", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("שלום", 4), ("ทำ", 2),
  ])
  func scriptsTakeTheirColumns(text: String, width: Int) {
    #expect(displayWidth(of: text) == width)
  }

  @Test(arguments: [
    ("👩‍💻 review", 9), ("👍🏽", 2), ("🇯🇵", 2), ("❤️", 2), ("❤", 1), ("1️⃣", 2), ("👨‍👩‍👧‍👦", 2), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2), ("🫨", 2), ("⌚", 2),
  ])
  func anEmojiTakesTwoColumnsHoweverManyScalarsItHas(text: String, width: Int) {
    #expect(displayWidth(of: text) == width)
  }

  @Test(arguments: ["…", "—", "α", "①", "─", "°"])
  func ambiguousCharactersTakeOneColumn(text: String) {
    #expect(displayWidth(of: text) == 1)
  }
}
