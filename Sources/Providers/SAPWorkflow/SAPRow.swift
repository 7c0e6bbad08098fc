internal import RingiKit

/// A record in a list, as its text came: checked, and built only when somebody wants to look into it.
struct SAPRow {
  let id: String
  private let text: ArraySlice<UInt8>

  var json: JSONValue { text.withUnsafeBufferPointer { JSONValue(scanned: $0) } }
  var fingerprint: UInt64 { text.withUnsafeBufferPointer { Fingerprint.of($0) } }

  /// A text is JSON, but not a list of records.
  struct Fault: Error {
    let what: String
  }

  /// Finds the rows of a page.
  ///
  /// - Parameters:
  ///   - page: The page's text, not checked yet.
  ///   - options: What to accept in it.
  /// - Returns: The rows, unless it is no array or something in it has no id.
  /// - Throws: `JSONSyntaxError`.
  static func rows(
    in page: [UInt8], _ options: JSONParsingOptions
  ) throws(JSONSyntaxError) -> Result<[SAPRow], Fault> {
    var rows: [SAPRow] = []
    var id: String?
    var allHaveID = true
    let isArray = try page.withUnsafeBufferPointer { text throws(JSONSyntaxError) in
      try JSONScanner(options).elements(of: text) { member in
        // Of members with the same name the last counts, here as in a value that is built.
        guard member.isNamed("id", in: text) else { return }
        id = JSONValue(scanned: UnsafeBufferPointer(rebasing: text[member.value])).string
      } element: { element in
        if let id { rows.append(SAPRow(id: id, text: page[element])) } else { allHaveID = false }
        id = nil
      }
    }
    guard isArray else { return .failure(Fault(what: "a list is no array")) }
    return allHaveID ? .success(rows) : .failure(Fault(what: "a row of a list has no id"))
  }
}
