/// What differs between two lists of named things.
struct Changes<Item: Equatable> {
  private(set) var added: [Item] = []
  private(set) var removed: [Item] = []
  private(set) var changed: [Item] = []
  private let name: KeyPath<Item, String>

  /// Compares two lists.
  ///
  /// - Parameters:
  ///   - old: What there was.
  ///   - new: What there is; of what changed the new is kept.
  ///   - name: What makes two items one thing.
  init(_ old: [Item], _ new: [Item], _ name: KeyPath<Item, String>) {
    self.name = name
    var former = Dictionary(old.map { ($0[keyPath: name], $0) }, uniquingKeysWith: { first, _ in first })
    for item in new {
      guard let before = former.removeValue(forKey: item[keyPath: name]) else {
        added.append(item)
        continue
      }
      if before != item { changed.append(item) }
    }
    removed = old.filter { former[$0[keyPath: name]] != nil }
  }

  /// The names of all that differs, sorted.
  var names: [String] { (added + changed + removed).map { $0[keyPath: name] }.sorted() }
}
