import Testing
import Text

@Suite struct HangingTextTests {
  @Test func inAPipeNothingIsBroken() {
    let text = String(repeating: "word ", count: 100)
    #expect(HangingText(text, after: "ringi: ", columns: nil).text == "ringi: " + text)
  }

  @Test func whatFitsStaysAsItIs() {
    #expect(HangingText("two  blanks", after: "  a", at: 5, columns: 16).text == "  a  two  blanks")
  }

  @Test func aLongTextIsBrokenAtWordsUnderItsBeginning() {
    let hanging = HangingText("There is no plugin todo; there are none.", after: "ringi: ", columns: 34)
    #expect(hanging.text == "ringi: There is no plugin todo;\n       there are none.")
  }

  @Test(arguments: 24...90)
  func noLineIsWiderThanTheTerminalAndNoWordIsLost(columns: Int) {
    let text = "承認 を 待つ 仕事 が ある; look at `ringi tasks`, or wait until somebody else has decided."
    let hanging = HangingText(text, after: "  lead", at: 12, columns: columns)
    for line in hanging.text.split(separator: "\n") { #expect(displayWidth(of: line) <= columns, "\(line)") }
    #expect(hanging.lines.joined(separator: " ") == text)
  }

  @Test func aWordWiderThanALineStaysWhole() {
    let path = "/" + String(repeating: "long/", count: 20)
    #expect(HangingText("See \(path) first.", after: "", columns: 40).lines == ["See", path, "first."])
  }

  @Test func aTextWithoutSpacesIsBrokenBetweenItsWideCharacters() {
    #expect(
      HangingText("三十二件の稟議。あり", after: "", columns: 14).lines == ["三十二件の稟", "議。あり"])
    #expect(HangingText("三十二件の。稟議", after: "", columns: 10).lines == ["三十二件", "の。稟議"])
    #expect(
      HangingText("あて先は https://example.jp/ です", after: "", columns: 8).lines == ["あて先は", "https://example.jp/", "です"])
  }

  @Test func aLeadThatLeavesNoRoomStandsAlone() {
    #expect(
      HangingText("what it does", after: "  a command that is long  ", at: 10, columns: nil).text == """
          a command that is long
                  what it does
        """)
    #expect(
      HangingText("what this one does", after: "  command  ", at: 30, columns: 40).text == """
          command
              what this one does
        """)
  }

  @Test func noTextLeavesNoBlanks() {
    #expect(HangingText("", after: "  a  ", at: 20, columns: 80).text == "  a")
  }
}
