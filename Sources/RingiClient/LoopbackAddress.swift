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
