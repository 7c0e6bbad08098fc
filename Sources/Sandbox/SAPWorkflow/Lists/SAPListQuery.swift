internal import HTTPServer

/// The parameters that all lists have in common, checked.
struct SAPListQuery {
  struct Order {
    let field: String
    let isDescending: Bool
  }

  let top: Int
  let skip: Int
  let wantsCount: Bool
  let order: Order?
  let expandsAttributes: Bool

  /// Reads the parameters; `sortFields` is what `$orderby` takes.
  ///
  /// - Throws: 400 for a value out of range, of wrong spelling or case, or given twice.
  init(_ items: [ServerRequest.QueryItem], sortFields: some Collection<String>) throws(SAPError) {
    top = try Self.number("$top", in: 0...1000, of: items) ?? 100
    skip = try Self.number("$skip", in: 0...4000, of: items) ?? 0
    let count = try Self.single("$inlinecount", of: items)
    guard count == nil || count == "allpages" || count == "none" else {
      throw .badQuery("$inlinecount takes allpages or none.")
    }
    wantsCount = count == "allpages"
    order = try Self.single("$orderby", of: items).map { text throws(SAPError) in try Self.order(text, sortFields) }
    expandsAttributes = items.contains { $0.name == "$expand" && $0.value == "attributes" }
  }

  private static func order(_ text: String, _ fields: some Collection<String>) throws(SAPError) -> Order {
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 2, fields.contains(words[0]), words[1] == "asc" || words[1] == "desc" else {
      throw .badQuery("$orderby takes one of \(fields.sorted().joined(separator: ", ")), a space, and asc or desc.")
    }
    return Order(field: words[0], isDescending: words[1] == "desc")
  }

  private static func number(
    _ name: String, in range: ClosedRange<Int>, of items: [ServerRequest.QueryItem]
  ) throws(SAPError) -> Int? {
    guard let text = try single(name, of: items) else { return nil }
    guard text.allSatisfy(\.isASCIIDigit), let number = Int(text), range.contains(number) else {
      throw .badQuery("\(name) takes a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  /// The value of a parameter that may be given once; empty is absent.
  private static func single(_ name: String, of items: [ServerRequest.QueryItem]) throws(SAPError) -> String? {
    let values = items.filter { $0.name == name }.map(\.value)
    guard values.count <= 1 else { throw .badQuery("\(name) may be given once.") }
    return values.first.flatMap { $0.isEmpty ? nil : $0 }
  }
}
