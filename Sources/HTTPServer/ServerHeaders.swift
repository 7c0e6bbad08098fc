/// The header fields of a request or a response, in order, repeats kept; names compare without regard to case.
package struct ServerHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  package struct Field: Sendable, Equatable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package var fields: [Field]

  package init(_ fields: [Field] = []) { self.fields = fields }

  package init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field(name: $0.0, value: $0.1) }
  }

  /// The first value under `name`.
  package subscript(name: String) -> String? {
    let wanted = name.lowercased()
    return fields.first { $0.name.lowercased() == wanted }?.value
  }

  /// Every value under `name`, in order.
  package func all(_ name: String) -> [String] {
    let wanted = name.lowercased()
    return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
  }

  package mutating func add(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }
}
