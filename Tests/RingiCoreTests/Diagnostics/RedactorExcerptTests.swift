import EventLoop
import Foundation
import HTTP
import JSON
import RingiTestSupport
import Testing

@testable import RingiCore

@Suite struct RedactorExcerptTests {
  private static let secret = "s3cr3t/Pä+ß= \"x\""

  /// The secret as it is, and as programs write it in other places.
  private static let forms =
    [
      secret, PercentEncoding.encode(secret), #"s3cr3t\/P\u00e4+\u00DF= \"x\""#, #"s3cr3t/Pä%2B%c3%9f=+\u0022x\""#,
      secret.utf8.map { "%\($0 < 16 ? "0" : "")\(String($0, radix: 16))" }.joined(),
      secret.unicodeScalars.map { "\\u00" + String($0.value, radix: 16) }.joined(),
    ] + (0..<3).map { Data((String(repeating: "u", count: $0) + secret).utf8).base64EncodedString() }

  @Loop private static func redactor(_ secrets: String...) -> Redactor {
    let redactor = Redactor()
    for secret in secrets { redactor.add(secret) }
    return redactor
  }

  /// Whether a text of dots and secrets shows nothing but dots.
  private static func isClean(_ text: String) -> Bool { text.allSatisfy { ".•…".contains($0) } }

  // MARK: The function

  @Test func aShortTextIsShownWhole() async throws {
    try await onLoop {
      let redactor = Self.redactor("sesame")
      for text in ["", "an open sesam", "稟議", "100%", "\\u00"] { #expect(redactor.excerpt(text, bytes: 20) == text) }
      #expect(redactor.excerpt("open sesame!", bytes: 20) == "open •••!")
    }
  }

  @Test func ofALongTextTheBeginningIsShownBetweenTwoCharacters() async throws {
    try await onLoop {
      for redactor in [Redactor(), Self.redactor("sesame")] {
        #expect(redactor.excerpt("稟議稟議", bytes: 7) == "稟議…")
        #expect(redactor.excerpt("a word", bytes: 6) == "a word")
        #expect(redactor.excerpt("a word.", bytes: 6) == "a word…")
        #expect(redactor.excerpt(of: "a word".utf8, isCut: true, bytes: 6) == "a word…")
      }
    }
  }

  @Test func anExcerptOfAnExcerptIsTheSame() async throws {
    try await onLoop {
      let redactor = Self.redactor("sesame")
      for text in [String(repeating: "稟", count: 50), String(repeating: "sesame ", count: 50)] {
        let once = redactor.excerpt(text, bytes: 20)
        #expect(redactor.excerpt(once, bytes: 20) == once)
      }
    }
  }

  @Test(arguments: forms) func ofATextThatWasCutInASecretNoByteOfItIsShown(form: String) async throws {
    try await onLoop {
      let redactor = Self.redactor(Self.secret)
      // What comes before the secret in base64 is no secret, and neither is a digit that has bits of both.
      let first = form.hasPrefix("dXV") ? 4 : form.hasPrefix("dX") ? 3 : 1
      for count in first...form.utf8.count - (first > 1 ? 4 : 0) {
        let text = redactor.excerpt(of: Array("..\(form)".utf8.prefix(2 + count)), isCut: true, bytes: 200)
        let shown = text.drop { $0 != "•" }
        #expect(shown == "•••…" && text.utf8.count < 2 + first + shown.utf8.count + 1, "\(text)")
      }
    }
  }

  @Test(arguments: forms) func whereverTheCutFallsNoPartOfASecretIsShown(form: String) async throws {
    let form = form.hasPrefix("dX") ? secretAlone : form
    try await onLoop {
      let redactor = Self.redactor(Self.secret)
      for offset in 0..<60 {
        let dots = String(repeating: ".", count: offset)
        #expect(Self.isClean(redactor.excerpt("\(dots)\(form)\(form)........", bytes: 20)))
      }
    }
  }

  private var secretAlone: String { Data(Self.secret.utf8).base64EncodedString() }

  @Test(arguments: [40, 500, 5000]) func manySecretsInOneLineAreAllTakenOut(length: Int) async throws {
    try await onLoop {
      let secret = String((0..<length).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "a" })
      let redactor = Self.redactor(secret)
      for count in [1, 2, 13, 103] {
        for dots in ["", "...", String(repeating: ".", count: 39)] {
          let text = redactor.excerpt(dots + String(repeating: secret, count: count), bytes: 2048)
          #expect(Self.isClean(text) && text.contains("•••"), "\(text)")
        }
      }
    }
  }

  @Test func ofAnEndlessTextNoMoreIsLookedAtThanIsNeeded() async throws {
    try await onLoop {
      let text = String(repeating: "open sesame ", count: 1 << 20)
      #expect(Self.redactor("sesame").excerpt(text, bytes: 11) == "open ••…")
    }
  }

  @Test func secretsThatOverlapAreTakenOutTogether() async throws {
    try await onLoop {
      let redactor = Self.redactor("abcdef", "defghi", "ghijkl")
      #expect(redactor.redact("<abcdefghijkl>") == "<•••>")
      // The end of the first is the beginning of the second.
      #expect(redactor.excerpt(of: "<abcdef".utf8, isCut: true, bytes: 20) == "<•••…")
      #expect(redactor.excerpt(of: "<abcdefgh".utf8, isCut: true, bytes: 20) == "<•••…")
      // A secret in a longer one that was cut.
      let nested = Self.redactor("zzzzabcdyyyy", "abcd")
      #expect(nested.excerpt(of: "<zzzzabcd".utf8, isCut: true, bytes: 20) == "<•••…")
    }
  }

  @Test(arguments: ["a%b?c", "a\\bcd", "%41%42", "%%%%%%"]) func aSecretThatLooksEscapedIsCutAsWell(
    secret: String
  ) async throws {
    try await onLoop {
      let redactor = Self.redactor(secret)
      for form in [secret, PercentEncoding.encode(secret), String("\(JSONValue(secret))".dropFirst().dropLast())] {
        for count in 1...form.utf8.count {
          let text = redactor.excerpt(of: "<\(form)".utf8.prefix(1 + count), isCut: true, bytes: 99)
          #expect(text == "<•••…", "\(form)")
        }
      }
    }
  }

  // MARK: The front

  @Test(arguments: forms.filter { !$0.hasPrefix("dX") })
  func ofATextWhoseFrontWasCutOffInASecretNoByteOfItIsShown(form: String) async throws {
    try await onLoop {
      let redactor = Self.redactor(Self.secret)
      // Of the last character's escape alone nothing can be told.
      for cut in 0..<form.utf8.count - (form.contains("\\") || form.contains("%") ? 7 : 1) {
        let text = redactor.redact(Array("\(form)~~".utf8.dropFirst(cut)), cut: .front)
        #expect(text == "•••~~", "\(cut)")
      }
    }
  }

  // MARK: Lines

  @Test func theLinesOfASecretWithSeveralAreSecretsToo() async throws {
    try await onLoop {
      let redactor = Self.redactor("-----BEGIN KEY-----\r\n  MIIEvQIBADAN \nshort\n\nkeYMateRial+/0=\n")
      #expect(redactor.redact("1: -----BEGIN KEY-----") == "1: •••")
      #expect(redactor.redact("MIIEvQIBADAN") == "•••")
      #expect(redactor.redact("<keYMateRial+/0=>") == "<•••>")
      #expect(redactor.redact("short words") == "short words")
      #expect(redactor.excerpt(of: "<keYMat".utf8, isCut: true, bytes: 20) == "<•••…")
    }
  }

  @Test func aValueIsFoundWithoutTheNewlineAtItsEnd() async throws {
    try await onLoop { #expect(Self.redactor("open sesame\n").redact("<open sesame>") == "<•••>") }
  }
}
