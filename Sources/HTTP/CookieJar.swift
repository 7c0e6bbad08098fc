public import EventLoop

/// The cookies of one session with a backend (RFC 6265), kept apart from those of every other session.
///
/// libcurl's cookie engine decides what is accepted and what is sent; the jar holds the lines that go into it and come
/// out of it. A cookie goes back to the port that set it alone, which is stricter than the RFC.
@Loop public final class CookieJar {
  /// Cookies as lines of curl's cookie file, by what identifies each.
  private struct Shelf {
    var keys: [String] = []
    var lines: [String: String] = [:]
  }

  /// More cookies than any browser sends to one site; beyond it the oldest goes.
  private static let limit = 180

  private var shelves: [Int: Shelf] = [:]

  public init() {}

  public var isEmpty: Bool { shelves.values.allSatisfy(\.keys.isEmpty) }

  /// The cookies' names and values.
  public var pairs: [(name: String, value: String)] {
    shelves.values.flatMap(\.lines.values).compactMap { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      return fields.count >= 7 ? (String(fields[5]), String(fields[6])) : nil
    }
  }

  /// Forgets all cookies, those that requests under way have sent included.
  public func removeAll() { shelves = [:] }

  /// The lines that a request to `port` begins with.
  func lines(port: Int) -> [String] {
    guard let shelf = shelves[port] else { return [] }
    return shelf.keys.compactMap { shelf.lines[$0] }
  }

  /// Takes over what a transfer changed; what it left alone stays as other transfers may have made it meanwhile.
  ///
  /// - Parameters:
  ///   - before: The lines that the transfer began with.
  ///   - after: The lines that its end left.
  ///   - port: The port that it talked to.
  func merge(before: [String], after: [String], port: Int) {
    let old = Self.byKey(before)
    let new = Self.byKey(after)
    var shelf = shelves[port] ?? Shelf()
    for (key, line) in old where new[key] == nil && shelf.lines[key] == line {
      shelf.lines[key] = nil
      shelf.keys.removeAll { $0 == key }
    }
    for line in after {
      guard let key = Self.key(of: line), old[key] != line else { continue }
      if shelf.lines.updateValue(line, forKey: key) == nil { shelf.keys.append(key) }
    }
    while shelf.keys.count > Self.limit { shelf.lines[shelf.keys.removeFirst()] = nil }
    shelves[port] = shelf
  }

  private static func byKey(_ lines: [String]) -> [String: String] {
    Dictionary(lines.compactMap { line in key(of: line).map { ($0, line) } }) { _, last in last }
  }

  /// Domain, path and name identify a cookie (RFC 6265 §5.3); the fields of a line are parted by tabs.
  private static func key(of line: String) -> String? {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard fields.count >= 6 else { return nil }
    let domain = fields[0].hasPrefix("#HttpOnly_") ? fields[0].dropFirst("#HttpOnly_".count) : fields[0]
    return "\(domain)\t\(fields[2])\t\(fields[5])"
  }
}
