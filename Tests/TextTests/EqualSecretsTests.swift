import Testing
import Text

@Suite struct EqualSecretsTests {
  @Test(arguments: [
    ("", "", true), ("a", "a", true), ("稟議", "稟議", true), ("a", "", false), ("ab", "ac", false),
    ("é", "e\u{301}", false),
  ])
  func theyAreEqualByteForByte(_ a: String, _ b: String, _ areEqual: Bool) {
    #expect(areEqualSecrets(a, b) == areEqual)
  }
}
