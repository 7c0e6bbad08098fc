import Testing

@testable import HTTP

@Suite struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"), ("ü?>", "w7w/Pg=="),
  ])
  func theExamplesOfTheStandardHold(_ plain: String, _ encoded: String) {
    #expect(Base64.encode(Array(plain.utf8)) == encoded)
  }
}
