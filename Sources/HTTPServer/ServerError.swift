import Glibc

/// Why a server could not start.
package enum ServerError: Error, Equatable, CustomStringConvertible {
  /// The port is taken, or the certificate and key do not fit; `code` is the system's errno, 0 when it gave none.
  case cannotListen(port: UInt16, code: Int32)
  case noDescriptors(code: Int32)

  package var description: String {
    switch self {
    case .cannotListen(let port, let code):
      "Cannot listen on 127.0.0.1:\(port)\(reason(code)). Choose another port, or 0 for any free one; "
        + "with TLS, check that certificate and key are PEM and belong together."
    case .noDescriptors(let code): "No descriptor left for the server\(reason(code)). Raise the limit (ulimit -n)."
    }
  }

  private func reason(_ code: Int32) -> String { code == 0 ? "" : ": " + String(cString: strerror(code)) }
}
