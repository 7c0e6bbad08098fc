internal import RingiKit

/// The address of a page as a client of the agent names it.
struct NowWebAddress {
  let url: HTTPURL
  /// What stands after a `#`, which the instance never sees; without the `#`, and fit to stand in an address.
  let fragment: String

  /// Reads an address, relative to the instance or absolute.
  ///
  /// - Parameters:
  ///   - text: The address.
  ///   - instance: The instance.
  /// - Throws: `RPCError` (invalid-params) for one that browsers and we might read in different ways, and for one that is
  ///   not the instance's.
  init(_ text: String, on instance: HTTPURL) throws {
    func refused(_ why: String) -> RPCError {
      .invalidParams(
        "url got \(text.debugDescription), which \(why); it takes an address on \(instance.origin), relative or absolute.",
        details: ["parameter": "url"])
    }
    guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) else {
      throw refused("holds a space, a control character or a backslash")
    }
    let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let address = String(parts.first ?? "")
    if let scheme = Self.scheme(of: address) {
      guard ["http", "https"].contains(scheme) else {
        throw refused("is an unsupported URL (\(scheme.debugDescription))")
      }
      guard address.dropFirst(scheme.count).hasPrefix("://") else { throw refused("is malformed") }
    }
    let found: HTTPURL
    do throws(HTTPError) {
      found = try instance.appending(encodedPath: "/").resolving(address)
    } catch {
      throw refused("is malformed")
    }
    guard found.origin == instance.origin else { throw refused("is an unsupported URL (on \(found.origin))") }
    guard !Self.hasUser(address) else { throw refused("is an unsupported URL (with a user's name)") }
    url = found.withoutUser
    fragment = parts.count > 1 ? Self.encoded(parts[1]) : ""
  }

  /// What stands before the first colon, when that comes before everything else that divides an address.
  private static func scheme(of text: String) -> String? {
    guard let end = text.firstIndex(where: { ":/?#".contains($0) }), text[end] == ":" else { return nil }
    return text[..<end].lowercased()
  }

  private static func hasUser(_ text: String) -> Bool {
    guard let start = text.firstRange(of: "//")?.upperBound, text[..<start].allSatisfy({ $0 != "?" }) else {
      return false
    }
    return scheme(of: text) != nil && text[start...].prefix { !"/?#".contains($0) }.contains("@")
  }

  private static func encoded(_ fragment: Substring) -> String {
    fragment.unicodeScalars.map { scalar in
      scalar.isASCII && !"\"<>`#".unicodeScalars.contains(scalar)
        ? String(scalar) : PercentEncoding.encode(String(scalar))
    }.joined()
  }
}
