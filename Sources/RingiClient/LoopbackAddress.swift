/// Where a browser comes back to: a port of this machine, and a path.
struct LoopbackAddress: Equatable {
  let port: UInt16
  let path: String
  /// As it was read.
  let text: String

  /// Reads `http://127.0.0.1:17791/callback`; anything that is no http address of this machine with a port is nil.
  init?(_ text: String) {
    guard text.hasPrefix("http://") else { return nil }
    let rest = text.dropFirst("http://".count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == "127.0.0.1" || parts[0].lowercased() == "localhost",
      let port = UInt16(parts[1]), port > 0
    else { return nil }
    let path = rest.dropFirst(authority.count).prefix { $0 != "?" }
    self.text = text
    self.port = port
    self.path = path.isEmpty ? "/" : String(path)
  }
}

/// The query of a request's target.
enum QueryText {
  /// Reads `a=1&b=2` with its escapes; of a name that is there twice the first counts, and a broken escape is left out.
  static func pairs(_ text: Substring) -> [String: String] {
    var pairs: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(sides[0]), let value = decoded(sides.count > 1 ? sides[1] : ""), pairs[name] == nil
      else { continue }
      pairs[name] = value
    }
    return pairs
  }

  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
          return nil
        }
        rest = rest.dropFirst(2)
        bytes.append(value)
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
