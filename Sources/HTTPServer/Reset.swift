internal import CMicroHTTPD  // whose module brings sockaddr along when everything is compiled as one
import Glibc

/// Sends RST at once.
///
/// Closing with SO_LINGER 0 would do it too, but libmicrohttpd shuts the socket down first, which
/// sends FIN, and a client may take that for the end of an answer.
func reset(_ socket: CInt) {
  var nowhere = sockaddr()
  nowhere.sa_family = sa_family_t(AF_UNSPEC)
  _ = connect(socket, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
}
