internal import HTTPServer

/// How a server spells the names of its header fields.
package enum HeaderCase: String, Sendable, CaseIterable {
  case canonical, lower, random

  func apply(to headers: inout ServerHeaders) {
    guard self != .canonical else { return }
    for index in headers.fields.indices {
      let name = headers.fields[index].name
      headers.fields[index].name =
        self == .lower
        ? name.lowercased() : name.map { Bool.random() ? $0.lowercased() : $0.uppercased() }.joined()
    }
  }
}
