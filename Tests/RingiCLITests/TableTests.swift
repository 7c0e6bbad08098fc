import Testing
import Text

@testable import RingiClient

@Suite struct TableTests {
  private let titles = [
    "発注300280の承認", "ｶﾌﾞｼｷ", "か\u{3099}ん", "👩‍💻 review", "cafe\u{301}", "a\ttab", "\u{1B}[31mred", "הזמנה חדשה", "plain",
  ]

  private var table: Table {
    Table(
      columns: [
        .init(title: "ID"), .init(title: "TITLE", minimum: 6), .init(title: "FROM", leaves: 1),
        .init(title: "N", isNumber: true),
      ],
      rows: titles.enumerated().map { [Styled("sap/\($0)"), Styled($1), "P2000", Styled(String($0 * 50))] })
  }

  private func texts(_ width: Int?) -> [String] {
    table.lines(columns: width).map { $0.map(\.text).joined() }
  }

  @Test func columnsStandUnderEachOtherWhateverTheScript() {
    let lines = texts(nil)
    let start = displayWidth(of: lines[0].prefix(while: { $0 != "F" }))
    for (line, title) in zip(lines.dropFirst(), titles) {
      let parts = line.split(separator: "P2000", omittingEmptySubsequences: false)
      #expect(parts.count == 2 && displayWidth(of: parts[0]) == start, "\(title)")
      #expect(displayWidth(of: line) == displayWidth(of: lines[0]), "\(title)")
    }
  }

  @Test(arguments: [7, 9, 14, 20, 24, 30, 40, 80])
  func noLineIsWiderThanTheTerminal(width: Int) {
    for line in texts(width) { #expect(displayWidth(of: line) <= width) }
  }

  @Test func nothingIsCutWithoutATerminal() {
    #expect(!texts(nil).joined().contains("…"))
    #expect(texts(nil)[1].contains("発注300280の承認"))
  }

  @Test func theFlexibleColumnShrinksBeforeAnotherLeaves() {
    let lines = texts(30)
    #expect(lines[0].contains("FROM"))
    #expect(lines[1].contains("発注300280…"))
    #expect(!texts(18)[0].contains("FROM"))
  }

  @Test func aLineEndsWithItsLastCell() {
    #expect(
      Table(columns: [.init(title: "LONG TITLE")], rows: [["x"]]).lines(columns: nil)[1].map(\.text).joined() == "x")
  }
}
