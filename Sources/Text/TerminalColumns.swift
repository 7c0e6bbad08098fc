internal import Glibc

/// The columns of the terminal behind a descriptor; `nil` when there is none.
package func terminalColumns(of descriptor: CInt) -> Int? {
  guard isatty(descriptor) == 1 else { return nil }
  var size = winsize()
  guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
  return Int(size.ws_col)
}
