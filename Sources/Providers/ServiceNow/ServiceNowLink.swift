internal import RingiKit

/// The `Link` header of a list's page (RFC 8288).
enum ServiceNowLink {
  /// Where the next page begins, by the offset in `rel="next"`; nil when this page is the last.
  ///
  /// Of the address nothing else counts: the service writes its own name there, which need not be the one that it was
  /// asked by, and no other host is to see the login.
  static func nextOffset(_ response: HTTPResponse) -> Int? {
    for link in response.headers.values("Link").joined(separator: ",").split(separator: "<").map(String.init) {
      guard let end = link.firstIndex(of: ">") else { continue }
      let isNext = link[end...].split(separator: ";").contains { part in
        let word = part.filter { $0 != " " && $0 != "," && $0 != "\"" }.lowercased()
        return word == "rel=next"
      }
      guard isNext else { continue }
      return link[..<end].split(whereSeparator: { $0 == "?" || $0 == "&" })
        .last { $0.hasPrefix("sysparm_offset=") }
        .flatMap { Int($0.dropFirst("sysparm_offset=".count)) } ?? -1
    }
    return nil
  }
}
