internal import Glibc

/// What the program was started with.
enum ProcessEnvironment {
  static var variables: [String: String] {
    var found: [String: String] = [:]
    var place = environ
    while let entry = place.pointee {
      let text = String(cString: entry)
      if let equals = text.firstIndex(of: "=") {
        found[String(text[..<equals])] = String(text[text.index(after: equals)...])
      }
      place += 1
    }
    return found
  }
}
