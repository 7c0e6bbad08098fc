internal import RingiKit

/// A path below the base URL with params in it: `/users/{id}`.
struct RESTPath {
  private enum Part: Equatable {
    case literal(String)
    case param(String)
  }

  private let segments: [[Part]]

  /// Reads a template.
  ///
  /// - Parameters:
  ///   - text: Empty, or a slash and segments between slashes.
  ///   - part: What it is a member of.
  ///   - name: The member.
  /// - Throws: `SettingsError`.
  init(_ text: String, in part: SettingsPart, _ name: String) throws(SettingsError) {
    guard text.isEmpty || text.hasPrefix("/") else { throw part.fault(name, "a path begins with a slash") }
    var segments: [[Part]] = []
    for segment in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      segments.append(try Self.parts(of: segment, in: part, name))
    }
    let isInner = { (index: Int) in index < segments.count - 1 }
    for (index, parts) in segments.enumerated()
    where parts == [.literal(".")] || parts == [.literal("..")] || (parts.isEmpty && isInner(index)) {
      throw part.fault(name, "\(text.debugDescription) has an empty segment, or one of dots")
    }
    self.segments = segments
  }

  /// The params, in their order.
  var names: [String] {
    segments.joined().compactMap { if case .param(let name) = $0 { name } else { nil } }
  }

  /// The path with values in it, each percent-encoded once.
  ///
  /// - Parameter value: The text of a param.
  /// - Returns: What to append to the base URL.
  /// - Throws: `RPCError` (invalid-params) when a value would make another path of it.
  func filled(_ value: (String) throws(RPCError) -> String) throws(RPCError) -> String {
    var path = ""
    for parts in segments {
      var (raw, segment) = ("", "")
      for part in parts {
        switch part {
        case .literal(let text):
          raw += text
          segment += text
        case .param(let name):
          let text = try value(name)
          guard !text.isEmpty else { throw Self.unfit(name, text) }
          raw += text
          segment += PercentEncoding.encode(text)
        }
      }
      if raw == "." || raw == ".." { throw Self.unfit(names.first ?? "", raw) }
      path += "/" + segment
    }
    return path
  }

  private static func unfit(_ name: String, _ text: String) -> RPCError {
    .invalidParams("\(name) got \(text.debugDescription), but takes what names a record: it stands in the path.")
  }

  private static func parts(
    of segment: Substring, in part: SettingsPart, _ name: String
  ) throws(SettingsError) -> [Part] {
    var parts: [Part] = []
    var rest = segment
    while !rest.isEmpty {
      let literal = rest.prefix { $0 != "{" }
      guard literal.utf8.allSatisfy(isPathByte) else {
        throw part.fault(
          name, "\(literal.debugDescription) has characters that a path does not take; a query belongs into params")
      }
      if !literal.isEmpty { parts.append(.literal(String(literal))) }
      rest = rest[literal.endIndex...]
      guard rest.popFirst() != nil else { break }
      guard let end = rest.firstIndex(of: "}"), end > rest.startIndex else {
        throw part.fault(name, "a { needs the name of a param and a }")
      }
      parts.append(.param(String(rest[..<end])))
      rest = rest[rest.index(after: end)...]
    }
    return parts
  }

  /// `pchar` of RFC 3986 §3.3, percent-encoded ones included.
  private static func isPathByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~!$&'()*+,;=:@%".utf8.contains(byte)
    }
  }
}
