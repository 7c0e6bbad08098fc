import Glibc

/// Why a server could not start.
package enum ServerError: Error, Equatable, CustomStringConvertible {
  /// The port is taken or not allowed; `code` is the system's errno, 0 when it gave none.
  case cannotListen(port: UInt16, code: Int32)
  /// GnuTLS does not take the certificate and its key.
  case unusableCertificate
  case noDescriptors(code: Int32)

  package var description: String {
    switch self {
    case .cannotListen(let port, let code):
      "Cannot listen on 127.0.0.1:\(port)\(reason(code)). Choose another port, or 0 for any free one."
    case .unusableCertificate: "The certificate and the key must be PEM texts that belong together."
    case .noDescriptors(let code): "No descriptor left for the server\(reason(code)). Raise the limit (ulimit -n)."
    }
  }

  private func reason(_ code: Int32) -> String { code == 0 ? "" : ": " + String(cString: strerror(code)) }
}
