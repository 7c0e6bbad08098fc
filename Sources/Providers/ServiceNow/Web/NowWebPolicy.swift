internal import RingiKit

/// A Content-Security-Policy of the instance, as it has to be for a page behind the proxy.
enum NowWebPolicy {
  private static let dropped: Set<Substring> = [
    "upgrade-insecure-requests", "block-all-mixed-content", "report-uri", "report-to", "frame-ancestors",
  ]

  /// The same policies without what asks for https or for reports, with leave for the theme's style sheet, and with the
  /// instance's files let in from the proxy.
  static func adapted(_ header: String, of instance: HTTPURL.Origin) -> String {
    header.split(separator: ",").map { policy in
      var directives = policy.split(separator: ";").map { $0.split(whereSeparator: { $0 == " " || $0 == "\t" }) }
        .filter { !$0.isEmpty && !dropped.contains(Substring($0[0].lowercased())) }
        .map { own($0, instance) }
      let governing = ["style-src-elem", "style-src"].lazy.compactMap { name in
        directives.firstIndex { $0[0].lowercased() == name }
      }.first
      if let index = governing {
        directives[index] = withSelf(directives[index])
      } else if let all = directives.first(where: { $0[0].lowercased() == "default-src" }) {
        directives.append(withSelf(["style-src"] + all.dropFirst()))
      }
      directives.append(["frame-ancestors", "'self'"])
      return directives.map { $0.joined(separator: " ") }.joined(separator: "; ")
    }.joined(separator: ", ")
  }

  /// A directive in which `'self'` stands for sources that mean the instance, or beside those that mean others too.
  private static func own(_ directive: [Substring], _ instance: HTTPURL.Origin) -> [Substring] {
    let others = directive.dropFirst().filter { $0.contains("*") || $0.hasSuffix(":") || !covers($0, instance) }
    guard directive.dropFirst().contains(where: { covers($0, instance) }) else { return directive }
    return withSelf([directive[0]] + others)
  }

  /// Whether a source means the instance (CSP Level 3, 6.7.2.8): by scheme, host, port and path, of which it may leave
  /// out all but one.
  private static func covers(_ source: Substring, _ instance: HTTPURL.Origin) -> Bool {
    var rest = source.lowercased()[...]
    if rest == "*" || rest == "\(instance.scheme):" { return true }
    if let mark = rest.firstRange(of: "://") {
      // A source of http means https as well.
      guard [instance.scheme, "http"].contains(String(rest[..<mark.lowerBound])) else { return false }
      rest = rest[mark.upperBound...]
    }
    let authority = rest.prefix { $0 != "/" }
    let parts = authority.split(separator: ":", maxSplits: 1)
    guard let host = parts.first else { return false }
    let port = parts.count > 1 ? String(parts[1]) : instance.scheme == "https" ? "443" : "80"
    guard port == "*" || port == "\(instance.port)" else { return false }
    return host == instance.host || host.hasPrefix("*.") && instance.host.hasSuffix(host.dropFirst())
  }

  private static func withSelf(_ directive: [Substring]) -> [Substring] {
    directive.filter { $0.lowercased() != "'none'" && $0.lowercased() != "'self'" } + ["'self'"]
  }
}
