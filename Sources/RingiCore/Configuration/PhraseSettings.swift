internal import JSON
internal import Text

/// `phrases` of ringi.json.
enum PhraseSettings {
  static let schema = Schema.object(
    [
      "say": .anyOf([.string(minLength: 1), .array(of: .string(minLength: 1), minItems: 1)])
        .described("What is said; several ways of saying it in an array."),
      "call": .string("The method to call.", minLength: 1),
      "params": .anyOf([.object([:], isOpen: true), .array(of: .any)]).described("Its params, by name or position."),
    ], required: ["say", "call"])

  static func read(_ file: inout ConfigurationFile) -> [Phrase] {
    var phrases: [Phrase] = []
    var owners: [String: String] = [:]
    for (index, value) in (file.value["phrases"]?.array.map(Array.init) ?? []).enumerated() {
      let pointer = JSONPointer(tokens: ["phrases", String(index), "say"])
      var ways: [(say: String, pointer: JSONPointer)] = []
      if let say = value["say"]?.string { ways = [(say, pointer)] }
      for (index, say) in (value["say"]?.array.map(Array.init) ?? []).enumerated() {
        if let say = say.string { ways.append((say, pointer.appending(index))) }
      }
      for (say, pointer) in ways {
        check(say, &owners, &file, pointer)
        phrases.append(Phrase(say: say, call: value["call"]?.string ?? "", params: value["params"]))
      }
    }
    return phrases
  }

  /// A phrase needs a key, and one of its own.
  private static func check(
    _ say: String, _ owners: inout [String: String], _ file: inout ConfigurationFile, _ pointer: JSONPointer
  ) {
    let key = phraseKey(say)
    if key.isEmpty {
      if !say.isEmpty { file.complain(at: pointer, "a phrase needs more than white space and punctuation") }
    } else if let other = owners[key] {
      file.complain(
        at: pointer,
        "counts as the same as \(JSONValue(other)): case, width, and punctuation around it make no difference")
    } else {
      owners[key] = say
    }
  }
}
