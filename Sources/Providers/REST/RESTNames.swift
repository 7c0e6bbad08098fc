internal import RingiKit

/// How the names of members are written in methods, beside how the service writes them.
enum RESTNames: String, CaseIterable {
  /// As the service writes them.
  case asIs
  /// `created_at` here is `createdAt` there; what is no snake_case stays as it is.
  case camelCase

  /// The service's name for one of ours: a capital after a small letter or a digit begins a word.
  func wire(_ name: String) -> String {
    guard self == .camelCase else { return name }
    var wire = ""
    var previous: Character = "_"
    for character in name {
      if ("A"..."Z").contains(character), Self.isInside(previous) {
        wire += "_" + character.lowercased()
      } else {
        wire.append(character)
      }
      previous = character
    }
    return wire
  }

  /// Our name for one of the service's: an underscore between a small letter or a digit and a small letter goes.
  func local(_ name: String) -> String {
    guard self == .camelCase, name.contains("_") else { return name }
    var local = ""
    var rest = name[...]
    while let character = rest.popFirst() {
      if character == "_", let before = local.last, Self.isInside(before), let next = rest.first,
        ("a"..."z").contains(next)
      {
        local += next.uppercased()
        rest = rest.dropFirst()
      } else {
        local.append(character)
      }
    }
    return local
  }

  /// Whether a name comes back from the service as it was given.
  func isReversible(_ name: String) -> Bool { local(wire(name)) == name && !Self.hasAcronym(name) }

  /// `userID` would be `user_i_d`, which nobody means.
  private static func hasAcronym(_ name: String) -> Bool {
    zip(name, name.dropFirst()).contains { ("A"..."Z").contains($0) && ("A"..."Z").contains($1) }
  }

  private static func isInside(_ character: Character) -> Bool {
    ("a"..."z").contains(character) || ("0"..."9").contains(character)
  }

  /// A value with all names in it as the service writes them.
  func wire(_ value: JSONValue) -> JSONValue { self == .asIs ? value : Self.renamed(value, wire) }

  /// A value of the service's with all names in it as ours.
  func local(_ value: JSONValue) -> JSONValue { self == .asIs ? value : Self.renamed(value, local) }

  /// Two names that would become one stay two.
  private static func renamed(_ value: JSONValue, _ rename: (String) -> String) -> JSONValue {
    if let array = value.array { return JSONValue(array: array.map { renamed($0, rename) }) }
    guard let object = value.object else { return value }
    let keys = Set(object.keys)
    return JSONValue(
      object: object.map { key, member in
        let name = rename(key)
        return (name != key && keys.contains(name) ? key : name, renamed(member, rename))
      })
  }
}
