package import JSON
package import JSONRPC
internal import Text

/// Something people say, and the call it stands for.
package struct Phrase: Equatable, Sendable {
  package let say: String
  package let call: String
  package let params: JSONValue?

  package init(say: String, call: String, params: JSONValue? = nil) {
    self.say = say
    self.call = call
    self.params = params
  }
}

/// The phrases of ringi.json, found by what somebody says.
///
/// Compared are NFKC and case-folded forms without white space and punctuation around them.
package struct PhraseBook: Sendable {
  private let phrases: [Phrase]
  private var byKey: [String: Phrase] = [:]

  /// Makes a book.
  ///
  /// - Parameter phrases: The phrases; of two that are said alike the first counts, and one of white space and
  ///   punctuation alone is never found.
  package init(_ phrases: [Phrase]) {
    self.phrases = phrases
    for phrase in phrases {
      let key = phraseKey(phrase.say)
      if !key.isEmpty, byKey[key] == nil { byKey[key] = phrase }
    }
  }

  /// The phrase that a text is.
  ///
  /// - Parameter text: What somebody said.
  /// - Returns: The phrase.
  /// - Throws: `RPCError` (not-found) with the phrases there are.
  package func find(_ text: String) throws(RPCError) -> Phrase {
    if let phrase = byKey[phraseKey(text)] { return phrase }
    let known = phrases.map { "\"\($0.say)\"" }.joined(separator: ", ")
    throw .notFound(
      phrases.isEmpty
        ? "No phrases are configured; write some into ringi.json."
        : "\"\(text.prefix(100))\" is none of the phrases \(known).",
      details: ["phrases": JSONValue(array: phrases.map { JSONValue($0.say) })])
  }
}
