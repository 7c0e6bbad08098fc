import Testing
import Text

@Suite struct FittingTests {
  @Test(arguments: [
    ("Approve order", 20, "Approve order"), ("Approve order", 13, "Approve order"),
    ("Approve order", 12, "Approve ord…"),
    ("発注の承認", 10, "発注の承認"), ("発注の承認", 9, "発注の承…"), ("発注の承認", 8, "発注の…"), ("発注", 1, "…"), ("発注", 0, ""),
    ("👩‍💻👩‍💻", 3, "👩‍💻…"), ("か\u{3099}か\u{3099}", 3, "か\u{3099}…"), ("cafe\u{301}s", 4, "caf…"),
  ])
  func aTextIsCutBetweenGraphemesWithTheEllipsisCounted(text: String, width: Int, cut: String) {
    #expect(truncated(text, to: width) == cut)
    #expect(displayWidth(of: truncated(text, to: width)) <= width)
  }

  @Test func paddingCountsColumns() {
    #expect(padded("承認", to: 6) == "承認  ")
    #expect(padded("承認", to: 3) == "承認")
  }
}
