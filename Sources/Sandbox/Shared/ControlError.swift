/// Why a sandbox could not do what its controller asked for; says what it takes.
package enum ControlError: Error, Equatable, CustomStringConvertible {
  case invalid(String)
  case notFound(String)

  package var description: String {
    switch self {
    case .invalid(let text), .notFound(let text): text
    }
  }
}
