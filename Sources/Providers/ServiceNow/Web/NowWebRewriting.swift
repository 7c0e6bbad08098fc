internal import RingiKit

/// Makes an answer of the instance one of the proxy's: addresses lead back to the proxy, and the theme is in.
struct NowWebRewriting {
  /// The instance.
  let origin: HTTPURL.Origin
  /// What stands for the instance's address in the page: the proxy's address, with the page's secret for who has it.
  let base: String
  /// The path of the theme's style sheet, if there is one.
  let themePath: String?

  // MARK: Bodies

  /// The body with the instance's address replaced, where it is a text, and with the theme where it is a document.
  func body(of response: HTTPResponse, isDocument: Bool) -> [UInt8] {
    guard let type = response.contentType, Self.isText(type), !Self.isWide(response.body, type.charset) else {
      return response.body
    }
    var body = replaced(response.body)
    let isHTML = response.isPage
    if isHTML { Self.dropReferrerPolicies(&body) }
    if isHTML, isDocument, let themePath {
      body.insert(contentsOf: "<link rel=\"stylesheet\" href=\"\(themePath)\"/>".utf8, at: Self.headStart(body))
    }
    return body
  }

  /// How far a page is searched for them.
  private static let scanLimit = 1 << 20

  /// Has the answer's own Referrer-Policy hold for all of the page: with less its requests are not known for its own, and
  /// with more other servers are told its address.
  ///
  /// Nothing moves by it.
  private static func dropReferrerPolicies(_ body: inout [UInt8]) {
    guard NowWebBytes.contains("referrer", in: body) else { return }
    for tag in NowWebTags(body, limit: scanLimit) {
      if tag.name == "meta", tag["name"]?.lowercased() == "referrer" {
        for index in tag.range { body[index] = UInt8(ascii: " ") }
      } else if tag["referrerpolicy"] != nil {
        let text = body[tag.range].map { $0 | 0x20 }
        for place in NowWebBytes.places(of: Array("referrerpolicy".utf8), in: text) {
          body[tag.range.lowerBound + place] = UInt8(ascii: "x")
        }
      }
    }
  }

  static func isText(_ type: MediaType) -> Bool {
    type.isJSON || type.essence.hasPrefix("text/") || type.essence.hasSuffix("+xml")
      || ["application/javascript", "application/x-javascript", "application/xml"].contains(type.essence)
  }

  /// Whether a character takes more than a byte where ASCII takes one: there nothing is found and nothing put in.
  private static func isWide(_ body: [UInt8], _ charset: String?) -> Bool {
    charset.map { $0.hasPrefix("utf-16") || $0.hasPrefix("utf-32") || $0 == "ucs-2" } ?? false
      || body.starts(with: [0xFE, 0xFF]) || body.starts(with: [0xFF, 0xFE])
  }

  /// How far a head's beginning is looked for.
  private static let headLimit = 64 << 10

  /// Where a page's head begins, or would: behind its tag, or behind what may only stand before it.
  static func headStart(_ body: [UInt8]) -> Int {
    var place = body.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    for tag in NowWebTags(body, limit: headLimit) {
      if tag.followsText { break }
      switch tag.name {
      case "head": return tag.range.upperBound
      case "html": place = tag.range.upperBound
      case let name where name.hasPrefix("!") || name.hasPrefix("?"): place = tag.range.upperBound
      default: return place
      }
    }
    return place
  }

  // MARK: Addresses

  /// The longest body that addresses are replaced in, in bytes, as it comes out.
  private static let limit = 32 << 20

  /// The instance's address replaced wherever it stands: with its scheme or without, and with the slashes escaped too.
  func replaced(_ body: [UInt8]) -> [UInt8] {
    let authority = origin.authority
    let plain = edits(in: body, of: "//\(authority)", for: base, scheme: "\(origin.scheme):")
    let escaped = edits(
      in: body, of: "\\/\\/\(authority)", for: base.replacing("/", with: "\\/"), scheme: "\(origin.scheme):")
    let edits = (plain + escaped).sorted { $0.range.lowerBound < $1.range.lowerBound }
    let length = edits.reduce(body.count) { $0 + $1.text.utf8.count - $1.range.count }
    // A page that says little else would become many times longer.
    guard !edits.isEmpty, length <= Self.limit else { return body }
    return Self.edited(body, edits, length)
  }

  private static func edited(_ body: [UInt8], _ edits: [(range: Range<Int>, text: String)], _ length: Int) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(length)
    var start = 0
    for edit in edits {
      output += body[start..<edit.range.lowerBound]
      output += edit.text.utf8
      start = edit.range.upperBound
    }
    return output + body[start...]
  }

  private func edits(
    in body: [UInt8], of needle: String, for text: String, scheme: String
  ) -> [(range: Range<Int>, text: String)] {
    let length = needle.utf8.count
    return NowWebBytes.places(of: Array(needle.utf8), in: body).compactMap { place in
      let end = place + length
      // acme.example.org, acme.example:8443 and acme.example@host are others.
      if end < body.count, Self.continuesHost(body[end]) { return nil }
      let before = body[..<place]
      guard before.last == UInt8(ascii: ":") else { return (place..<end, text) }
      let isOurs = before.suffix(scheme.utf8.count).elementsEqual(scheme.utf8)
      return isOurs ? ((place - scheme.utf8.count)..<end, text) : nil
    }
  }

  private static func continuesHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: "-._~:@%".utf8.contains(byte)
    }
  }

  func replaced(_ text: String) -> String { String(decoding: replaced(Array(text.utf8)), as: UTF8.self) }
}
