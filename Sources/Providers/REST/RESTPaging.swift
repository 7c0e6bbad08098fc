internal import RingiKit

/// How a list goes on after its first page.
struct RESTPaging {
  enum Style {
    /// The `Link` header's `next` (RFC 8288), or an address in the answer.
    case link(next: JSONPointer?)
    /// A text in the answer that the next request takes along.
    case cursor(param: String, next: JSONPointer)
    /// Pages by their numbers.
    case page(param: String, first: Int)
    /// How many rows to skip.
    case offset(param: String)
  }

  /// Where the number of all rows is.
  enum Total {
    case pointer(JSONPointer)
    case header(String)
  }

  let style: Style
  /// A param for the page's size, and the size.
  let size: (param: String, value: Int)?
  /// What tells rows apart.
  let id: JSONPointer?
  let total: Total?
  let maxPages: Int

  /// The styles by their names.
  static let styles = ["link", "cursor", "page", "offset"]

  init(_ part: SettingsPart) throws(SettingsError) {
    let next = try part.pointer("next")
    func param() throws(SettingsError) -> String {
      guard let param = part.text("param") else {
        throw part.fault("param is missing; it names what the request takes")
      }
      return param
    }
    switch part.text("by") {
    case "cursor":
      guard let next else { throw part.fault("next is missing; it says where the cursor is") }
      style = .cursor(param: try param(), next: next)
    case "page": style = .page(param: try param(), first: Int(part.json["first"]?.int ?? 1))
    case "offset": style = .offset(param: try param())
    default: style = .link(next: next)
    }
    size = part.text("sizeParam").map { ($0, Int(part.json["size"]?.int ?? 100)) }
    id = try part.pointer("id")
    if let text = part.text("total") {
      total = text.hasPrefix("/") ? try part.pointer("total").map(Total.pointer) : .header(text)
    } else {
      total = nil
    }
    maxPages = Int(part.json["maxPages"]?.int ?? 1000)
  }
}
