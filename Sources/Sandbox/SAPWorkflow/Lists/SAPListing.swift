internal import HTTPServer
internal import Timing

/// How the rows of one kind are filtered, sorted and paged.
struct SAPListing<Row> {
  /// Parameters that compare with any of a row's texts.
  let texts: [String: (Row) -> [String]]
  /// Parameters whose values are known words, taken in any case.
  let words: [String: (all: [String], of: (Row) -> String)]
  let times: [(names: SAPTimeFilter.Names, of: (Row) -> Timestamp?)]
  /// What `containsText` looks through.
  let searched: (Row) -> [String?]
  let attributes: (Row) -> [SAPTask.Attribute]
  let sortKeys: [String: (Row) -> SAPSortKey]
  let standardOrder: SAPListQuery.Order
  /// Orders rows that are equal otherwise, ascending.
  let tie: (Row) -> SAPSortKey

  struct Page {
    let rows: [Row]
    /// Of all pages.
    let total: Int
    let query: SAPListQuery
  }

  func page(of rows: [Row], _ items: [ServerRequest.QueryItem]) throws(SAPError) -> Page {
    let query = try SAPListQuery(items, sortFields: sortKeys.keys)
    let accepts = try filter(items)
    let matching = sorted(rows.filter { row in accepts.allSatisfy { $0(row) } }, by: query.order ?? standardOrder)
    let page = Array(matching.dropFirst(query.skip).prefix(query.top))
    return Page(rows: page, total: matching.count, query: query)
  }

  private func sorted(_ rows: [Row], by order: SAPListQuery.Order) -> [Row] {
    guard let key = sortKeys[order.field] else { return rows }
    let keyed = rows.enumerated().map { (place: $0.offset, key: key($0.element), tie: tie($0.element)) }
    let ordered = keyed.sorted { left, right in
      if left.key != right.key { return order.isDescending ? left.key > right.key : left.key < right.key }
      return (left.tie, left.place) < (right.tie, right.place)
    }
    return ordered.map { rows[$0.place] }
  }

  /// What all parameters together ask for; unknown ones ask for nothing.
  private func filter(_ items: [ServerRequest.QueryItem]) throws(SAPError) -> [(Row) -> Bool] {
    func values(_ name: String) -> [String] {
      items.filter { $0.name == name }.flatMap { $0.value.split(separator: ",").map(String.init) }
    }
    var filters: [(Row) -> Bool] = []
    for (name, texts) in texts {
      let wanted = values(name)
      if !wanted.isEmpty { filters.append { row in texts(row).contains(where: wanted.contains) } }
    }
    for (name, words) in words {
      let wanted = values(name).map { $0.uppercased() }
      guard wanted.allSatisfy(words.all.contains) else {
        throw .badQuery("\(name) takes \(words.all.joined(separator: ", ")).")
      }
      if !wanted.isEmpty { filters.append { row in wanted.contains(words.of(row)) } }
    }
    for (names, time) in times {
      let filter = try SAPTimeFilter(names, values)
      filters.append { filter.accepts(time($0)) }
    }
    filters += try searches(items) + attributeFilters(items, values)
    return filters
  }

  /// Commas are part of the text here.
  private func searches(_ items: [ServerRequest.QueryItem]) throws(SAPError) -> [(Row) -> Bool] {
    let texts = items.filter { $0.name == "containsText" && !$0.value.isEmpty }.map { $0.value.lowercased() }
    guard texts.count <= 1 else { throw .badQuery("containsText may be given once.") }
    return texts.map { text in
      { row in searched(row).contains { $0?.lowercased().contains(text) ?? false } }
    }
  }

  private func attributeFilters(
    _ items: [ServerRequest.QueryItem], _ values: (String) -> [String]
  ) -> [(Row) -> Bool] {
    let names = Set(items.map(\.name).filter { $0.hasPrefix("attributes.") })
    return names.compactMap { name in
      let wanted = values(name)
      guard !wanted.isEmpty else { return nil }
      let id = name.dropFirst("attributes.".count)
      return { row in attributes(row).contains { $0.id == id && wanted.contains($0.value) } }
    }
  }
}
