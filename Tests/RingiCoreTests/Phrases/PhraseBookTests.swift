import JSON
import JSONRPC
import Testing

@testable import RingiCore

struct PhraseBookTests {
  private let book = PhraseBook([
    Phrase(say: "だっふんだ", call: "sap.workflow.start", params: ["definition": "order"]),
    Phrase(say: "だいじょぶだぁ", call: "tasks.approve", params: ["task": "newest"]),
    Phrase(say: "OK", call: "tasks.approve"),
  ])

  @Test(arguments: ["だいじょぶだぁ", "だいじょぶだぁ！", " だいじょぶだぁ!\n", "「だいじょぶだぁ。」", "た\u{3099}いし\u{3099}ょふ\u{3099}た\u{3099}ぁ"])
  func widthAndPunctuationAroundMakeNoDifference(_ text: String) throws {
    let phrase = try book.find(text)
    #expect(phrase == Phrase(say: "だいじょぶだぁ", call: "tasks.approve", params: ["task": "newest"]))
  }

  @Test(arguments: ["ok", "ＯＫ", "Ok…"])
  func caseMakesNoDifference(_ text: String) throws {
    #expect(try book.find(text).say == "OK")
  }

  @Test(arguments: ["ﾀﾞｲｼﾞｮﾌﾞﾀﾞｧ", "ダイジョブダァ", "だいじょぶ だぁ", "だいじょぶ", "", "!?", "O.K"])
  func whatDiffersIsNotFound(_ text: String) {
    let error = #expect(throws: RPCError.self) { try book.find(text) }
    #expect(error?.kind == "not-found")
  }

  @Test func whoIsNotUnderstoodLearnsThePhrases() {
    let error = #expect(throws: RPCError.self) { try book.find("えっ") }
    #expect(error?.details["phrases"] == ["だっふんだ", "だいじょぶだぁ", "OK"])
    #expect(error?.message.contains("\"だっふんだ\"") == true)
  }

  @Test func anEmptyBookSaysWherePhrasesGo() {
    let error = #expect(throws: RPCError.self) { try PhraseBook([]).find("OK") }
    #expect(error?.message.contains("ringi.json") == true)
  }

  @Test func aPhraseOfPunctuationAloneIsNeverFound() {
    let book = PhraseBook([Phrase(say: "!?", call: "agent.shutdown")])
    #expect(throws: RPCError.self) { try book.find("…") }
  }
}
