import EventLoop
import RingiTestSupport
import Testing

@testable import RingiCore

@Suite struct OutputExcerptTests {
  @Test func shortOutputIsShownWhole() async throws {
    try await onLoop {
      let excerpt = OutputExcerpt()
      for text in ["\n one", " two", "\n\n"] { excerpt.append(text) }
      #expect(excerpt.text(Redactor()) == "one two")
    }
  }

  @Test(arguments: [5000, 9000, 1_000_000])
  func ofLongOutputBothEndsAreShown(_ length: Int) async throws {
    try await onLoop {
      let excerpt = OutputExcerpt()
      excerpt.append("begin" + String(repeating: "稟", count: length / 3) + "end")
      let text = excerpt.text(Redactor())
      #expect(text.hasPrefix("begin稟"))
      #expect(text.hasSuffix("稟end"))
      #expect(text.contains(" bytes left out …"))
      #expect(text.utf8.count < 2 * OutputExcerpt.shown + 100)
    }
  }

  @Test func noPartOfASecretShowsAtTheEdges() async throws {
    try await onLoop {
      let redactor = Redactor()
      redactor.add("tOpSeCrEt")
      for offset in 0..<12 {
        let excerpt = OutputExcerpt()
        excerpt.append(String(repeating: ".", count: offset))
        for _ in 0..<10_000 { excerpt.append("tOpSeCrEt ") }
        let text = excerpt.text(redactor)
        #expect(!text.contains("tOp"))
        #expect(!text.contains("rEt"))
      }
    }
  }
}

extension OutputExcerpt {
  fileprivate func append(_ text: String) { Array(text.utf8).withUnsafeBytes { append($0) } }
}
