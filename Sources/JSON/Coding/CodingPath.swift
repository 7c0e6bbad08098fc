/// The keys from a value that is being coded up to the whole; made as containers open, read only for errors.
indirect enum CodingPath {
  case root
  case child(CodingPath, any CodingKey)

  var keys: [any CodingKey] {
    switch self {
    case .root: []
    case .child(let parent, let key): parent.keys + [key]
    }
  }
}

/// A key of neither side's own: an index, or a name where no type of keys is known.
enum AnyCodingKey: CodingKey {
  case name(String)
  case index(Int)

  static let `super` = AnyCodingKey.name("super")

  init(stringValue: String) { self = .name(stringValue) }

  init(intValue: Int) { self = .index(intValue) }

  var stringValue: String {
    switch self {
    case .name(let name): name
    case .index(let index): String(index)
    }
  }

  var intValue: Int? {
    if case .index(let index) = self { index } else { nil }
  }
}

extension JSONPointer {
  init(_ path: [any CodingKey]) { self.init(tokens: path.map(\.stringValue)) }
}
