import Testing

@testable import RingiClient

@Suite struct StyledTests {
  @Test func outsideTextCannotActWithOrWithoutColours() {
    let title = Styled("\u{1B}]0;x\u{07}\u{202E}gnp.exe", .red)
    #expect(title.rendered(colored: false) == "␛]0;x␇<U+202E>gnp.exe")
    #expect(title.rendered(colored: true) == "\u{1B}[31m␛]0;x␇<U+202E>gnp.exe\u{1B}[0m")
  }

  @Test func interpolatedTextIsOutsideTextToo() {
    let name = "a\nb"
    #expect(("name: \(name)" as Styled).text == "name: a␊b")
  }
}
