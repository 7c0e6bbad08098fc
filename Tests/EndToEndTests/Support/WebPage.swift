import RingiTestSupport

/// What a browser sees at an http address of this machine.
enum WebPage {
  struct NoAnswer: Error {}

  /// Asks for a page, as a browser does; redirects are not followed.
  static func get(_ address: String) throws -> RawAnswer {
    guard let host = address.firstRange(of: "://")?.upperBound else { throw NoAnswer() }
    let connection = try RawConnection(to: address)
    let target = address[host...].drop { $0 != "/" }
    connection.send("GET \(target.isEmpty ? "/" : target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    return try connection.answer()
  }

  /// Goes through the backend's page to the redirect, as the browser of a person who grants the access.
  static func redirect(from page: String) throws -> String {
    guard let location = try get(page)["Location"] else { throw NoAnswer() }
    return location
  }
}
