internal import JSON

/// Answers that list something.
enum Listing {
  /// The elements of the member `key`, or of the answer itself when it is an array.
  static func rows(_ result: JSONValue, _ key: String) -> [JSONValue] {
    (result[key] ?? result).array.map(Array.init) ?? []
  }

  /// A table with a column for each member that any of the rows has, in the order in which they first appear.
  static func table(_ rows: [JSONValue]) -> Table {
    var keys: [String] = []
    for row in rows { keys += (row.object?.keys ?? []).filter { !keys.contains($0) } }
    let columns = keys.map { key in
      Table.Column(title: heading(key), minimum: key == keys.first ? nil : 8)
    }
    let cells = rows.map { row in keys.map { key in Styled(Fields.plainText(row[key])) } }
    return Table(columns: columns, rows: cells)
  }

  /// "lastError" as "LAST ERROR".
  private static func heading(_ key: String) -> String {
    key.reduce(into: "") { heading, letter in
      if letter.isUppercase, !heading.isEmpty { heading.append(" ") }
      heading.append(letter.uppercased())
    }
  }
}
