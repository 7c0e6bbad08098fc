import EventLoop
import Foundation
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

  @Test(arguments: [500, 5000]) func noPartOfALongSecretShowsAtTheEdges(_ length: Int) async throws {
    try await onLoop {
      let redactor = Redactor()
      let secret = String((0..<length).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "a" })
      redactor.add(secret)
      for offset in stride(from: 0, to: 7000, by: 97) {
        let excerpt = OutputExcerpt()
        let dots = String(repeating: ".", count: offset)
        for text in [dots, secret, String(repeating: ".", count: 20_000), secret, dots] { excerpt.append(text) }
        let shown = excerpt.text(redactor).replacingOccurrences(of: "bytes left out", with: "")
        #expect(shown.allSatisfy { ".•… \n0123456789".contains($0) }, "\(shown)")
        #expect(shown.filter(\.isNumber).count <= 5)
      }
    }
  }
}

extension OutputExcerpt {
  fileprivate func append(_ text: String) { Array(text.utf8).withUnsafeBytes { append($0) } }
}
