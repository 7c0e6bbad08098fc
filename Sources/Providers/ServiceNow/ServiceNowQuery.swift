/// Encoded queries, whose clauses are joined by `^`.
enum ServiceNowQuery {
  /// Whether a text can stand as a value in a clause: a `^` would end it, a comma makes two of it, and there
  /// is no way to write one.
  static func canStand(_ value: String) -> Bool { !value.contains("^") && !value.contains(",") }

  /// The query with an order in which pages neither repeat nor skip rows; without one the order is undefined.
  static func ordered(_ query: String) -> String {
    query.isEmpty ? "ORDERBYsys_id" : "\(query)^ORDERBYsys_id"
  }
}
