/// Rows in the order in which they were added, found by id.
struct Table<Row: Identifiable> where Row.ID == String {
  private(set) var rows: [Row] = []
  private var places: [String: Int] = [:]

  /// Reading gives nil for an unknown id; writing changes or adds the row; writing nil does nothing, see `remove`.
  subscript(id: String) -> Row? {
    get { places[id].map { rows[$0] } }
    set {
      guard let newValue else { return }
      if let place = places[id] { rows[place] = newValue } else { append(newValue) }
    }
  }

  mutating func append(_ row: Row) {
    places[row.id] = rows.count
    rows.append(row)
  }

  /// Changes a row in place, if there is one.
  mutating func update(_ id: String, _ change: (inout Row) -> Void) {
    if let place = places[id] { change(&rows[place]) }
  }

  mutating func remove(where matches: (Row) -> Bool) {
    rows.removeAll(where: matches)
    places = [:]
    for (place, row) in rows.enumerated() { places[row.id] = place }
  }
}

extension Table: Sendable where Row: Sendable {}
