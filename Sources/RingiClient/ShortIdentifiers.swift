/// Task ids cut to what still tells them apart, for a terminal too narrow for the whole.
enum ShortIdentifiers {
  /// What is kept at least of the part after the provider.
  private static let shortest = 8

  /// Returns each id cut to a prefix that no other of them begins with, followed by "…" to show the cut; an id that
  /// would not become shorter stays whole.
  static func shortened(_ ids: [String]) -> [String] {
    let sorted = Set(ids).sorted()
    var needed: [String: Int] = [:]
    for (one, other) in zip(sorted, sorted.dropFirst()) {
      let distinct = zip(one, other).prefix { $0 == $1 }.count + 1
      needed[one] = max(needed[one] ?? 0, distinct)
      needed[other] = max(needed[other] ?? 0, distinct)
    }
    return ids.map { id in
      let local = id.firstIndex(of: "/").map { id.index(after: $0) } ?? id.startIndex
      let length = max(needed[id] ?? 0, id.distance(from: id.startIndex, to: local) + shortest)
      return length + 1 < id.count ? id.prefix(length) + "…" : id
    }
  }

  /// Takes the mark of the cut off again, so that an id can be copied from a table.
  static func prefix(_ operand: String) -> String {
    operand.hasSuffix("…") ? String(operand.dropLast()) : operand
  }
}
