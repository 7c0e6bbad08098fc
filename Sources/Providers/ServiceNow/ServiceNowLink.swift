internal import RingiKit

/// The `Link` header of a list's page (RFC 8288).
enum ServiceNowLink {
  /// Where the next page begins, by the offset in `rel="next"`; nil when this page is the last, -1 when it can't be told.
  ///
  /// Of the address nothing else counts: the service writes its own name there, which need not be the one that it was
  /// asked by, and no other host is to see the login.
  static func nextOffset(_ response: HTTPResponse) -> Int? {
    let links = response.headers.values("Link")
    guard let next = LinkHeader.target(of: "next", in: links) else {
      // A header that is not well-formed must not pass for that of the last page.
      return links.contains { $0.filter { $0 != "\"" }.lowercased().contains("rel=next") } ? -1 : nil
    }
    return next.split { $0 == "?" || $0 == "&" }.last { $0.hasPrefix("sysparm_offset=") }
      .flatMap { Int($0.dropFirst("sysparm_offset=".count)) } ?? -1
  }
}
