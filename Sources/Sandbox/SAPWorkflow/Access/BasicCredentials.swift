/// The user and password of an Authorization header (RFC 7617), in UTF-8.
struct BasicCredentials {
  let user: String
  let password: String

  init?(_ header: String?) {
    guard let words = header?.split(separator: " "), words.count == 2, words[0].lowercased() == "basic",
      let bytes = Base64.decode(words[1]), let text = String(validating: bytes, as: UTF8.self),
      let colon = text.firstIndex(of: ":")
    else { return nil }
    user = String(text[..<colon])
    password = String(text[text.index(after: colon)...])
  }
}
