/// The tags of an HTML page, as far as it takes to find what a page links and where its head begins.
struct NowWebTags: Sequence, IteratorProtocol {
  struct Tag {
    /// In lower case; `!doctype` and the like begin with their sign.
    let name: String
    /// Names in lower case, values as they stand there, but for `&amp;`.
    let attributes: [(name: String, value: String)]
    /// From the opening bracket to behind the closing one.
    let range: Range<Int>
    /// Whether there is text between the tag before and this one.
    let followsText: Bool

    subscript(attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }
  }

  private let body: [UInt8]
  private var place: Int

  /// Reads from the beginning, after a byte order mark if there is one.
  ///
  /// - Parameters:
  ///   - body: The page.
  ///   - limit: How far to read, in bytes: it is all done on the loop's thread.
  init(_ body: [UInt8], limit: Int) {
    self.body = body.count > limit ? Array(body[..<limit]) : body
    place = body.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  mutating func next() -> Tag? {
    var followsText = false
    while place < body.count {
      guard body[place] == UInt8(ascii: "<") else {
        followsText = followsText || body[place] > 0x20
        place += 1
        continue
      }
      if body[place...].starts(with: "<!--".utf8) {
        place = end(of: "-->", from: place + 4)
        continue
      }
      if body[place...].starts(with: "</".utf8) {
        place = end(of: ">", from: place + 2)
        continue
      }
      if let tag = tag(followsText) { return tag }
      followsText = true
      place += 1
    }
    return nil
  }

  /// The tag that begins here, unless a bracket stands for itself.
  private mutating func tag(_ followsText: Bool) -> Tag? {
    let start = place
    var reader = place + 1
    guard reader < body.count, body[reader] > 0x40 || "!?".utf8.contains(body[reader]) else { return nil }
    let name = word(&reader, until: " \t\r\n\u{0C}/>")
    var attributes: [(name: String, value: String)] = []
    while reader < body.count, body[reader] != UInt8(ascii: ">") {
      let before = reader
      let attribute = word(&reader, until: "= \t\r\n\u{0C}/>")
      skipBlanks(&reader)
      if reader < body.count, body[reader] == UInt8(ascii: "=") {
        reader += 1
        skipBlanks(&reader)
        attributes.append((attribute.lowercased(), value(&reader)))
      } else if !attribute.isEmpty {
        attributes.append((attribute.lowercased(), ""))
      }
      if reader == before { reader += 1 }
    }
    place = Swift.min(reader + 1, body.count)
    let lower = name.lowercased()
    // Their text is no HTML.
    let range = start..<place
    if lower == "script" || lower == "style" { place = end(of: "</\(lower)", from: place, isInside: true) }
    return Tag(name: lower, attributes: attributes, range: range, followsText: followsText)
  }

  private func value(_ reader: inout Int) -> String {
    guard reader < body.count, body[reader] == UInt8(ascii: "\"") || body[reader] == UInt8(ascii: "'") else {
      return word(&reader, until: " \t\r\n\u{0C}>").replacing("&amp;", with: "&")
    }
    let quote = body[reader]
    let start = reader + 1
    reader = body[start...].firstIndex(of: quote) ?? body.count
    let text = String(decoding: body[start..<reader], as: UTF8.self)
    reader = Swift.min(reader + 1, body.count)
    return text.replacing("&amp;", with: "&")
  }

  private func word(_ reader: inout Int, until ends: String) -> String {
    let start = reader
    while reader < body.count, !ends.utf8.contains(body[reader]) { reader += 1 }
    return String(decoding: body[start..<reader], as: UTF8.self)
  }

  private func skipBlanks(_ reader: inout Int) {
    while reader < body.count, body[reader] <= 0x20 { reader += 1 }
  }

  /// Where a text ends, or with `isInside` begins, in any case of its letters; the body's end when it isn't there.
  private func end(of text: String, from start: Int, isInside: Bool = false) -> Int {
    let wanted = Array(text.utf8)
    var index = start
    while index + wanted.count <= body.count {
      guard body[index] == wanted[0] else {
        index += 1
        continue
      }
      let isThere = zip(body[index..<(index + wanted.count)], wanted).allSatisfy { $0 | 0x20 == $1 | 0x20 }
      if isThere { return isInside ? index : index + wanted.count }
      index += 1
    }
    return body.count
  }
}
