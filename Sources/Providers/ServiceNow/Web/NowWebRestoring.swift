internal import RingiKit

extension NowWebRewriting {
  /// What a page sends, with the instance's address in the place of the page's own, which is a secret: in forms, JSON and
  /// texts.
  ///
  /// - Parameters:
  ///   - body: The request's.
  ///   - type: Its kind.
  /// - Returns: The body for the instance.
  func restored(_ body: [UInt8], type: MediaType?) -> [UInt8] {
    let others = ["application/x-www-form-urlencoded", "multipart/form-data"]
    guard let type, Self.isText(type) || others.contains(type.essence) else { return body }
    return restored(body)
  }

  /// A path with its query, in which the instance's address stands in the place of the page's own.
  func restored(query target: String) -> String {
    guard let query = target.firstIndex(of: "?") else { return target }
    return target[..<query] + String(decoding: restored(Array(target[query...].utf8)), as: UTF8.self)
  }

  /// How a colon and a slash are written: as they are, with a backslash as in JSON, percent-encoded, or both.
  private static let colons = [":", "%3A", "%3a", "%253A"]
  private static let slashes = ["/", "\\/", "\\u002F", "\\u002f", "%2F", "%2f", "%5C%2F", "%5c%2f", "%252F"]

  private func restored(_ body: [UInt8]) -> [UInt8] {
    let parts = base.split(separator: "/").map(String.init)
    guard parts.count == 3, let secret = parts.last else { return body }
    var output: [UInt8] = []
    var start = 0
    for place in NowWebBytes.places(of: Array(secret.utf8), in: body) where place >= start {
      guard let found = address(parts[1], before: place, in: body[start...]) else { continue }
      output += body[start..<found.start]
      output += found.text.utf8
      start = place + secret.utf8.count
    }
    return output + body[start...]
  }

  /// Where the address begins that the secret at `place` belongs to, and what takes its place, written in the same way.
  private func address(
    _ authority: String, before place: Int, in body: ArraySlice<UInt8>
  ) -> (start: Int, text: String)? {
    func ending(_ texts: [String], _ end: Int) -> String? {
      texts.first { body[..<end].suffix($0.utf8.count).elementsEqual($0.utf8) }
    }
    guard let slash = ending(Self.slashes.reversed(), place) else { return nil }
    // A path alone, of which nothing is left but the slash that follows.
    let bare = place - slash.utf8.count
    for colon in Self.colons {
      let host = slash + slash + authority.replacing(":", with: colon)
      guard let host = ending([host], bare) else { continue }
      let text = slash + slash + instance(colon)
      let start = bare - host.utf8.count
      guard let scheme = ending(["http" + colon], start) else { return (start, text) }
      return (start - scheme.utf8.count, origin.scheme + colon + text)
    }
    return (bare, "")
  }

  /// Host and port of the instance.
  private func instance(_ colon: String) -> String {
    origin.authority.replacing(":", with: colon)
  }
}
