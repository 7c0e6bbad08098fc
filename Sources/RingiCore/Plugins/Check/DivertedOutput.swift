internal import EventLoop
internal import Glibc

/// The standard output of this process, kept from what else lives in it.
struct DivertedOutput {
  private static let shown = 600

  /// Where it went before.
  let original: CInt
  private let file: UnsafeMutablePointer<FILE>

  /// Sends what is printed from now on into a file.
  ///
  /// - Throws: `SystemError`.
  init() throws(SystemError) {
    fflush(nil)
    original = dup(STDOUT_FILENO)
    guard original >= 0, let file = tmpfile() else { throw SystemError.last("tmpfile") }
    self.file = file
    guard dup2(fileno(file), STDOUT_FILENO) >= 0 else { throw SystemError.last("dup2") }
  }

  /// Puts everything back.
  ///
  /// - Returns: The beginning of what was printed meanwhile.
  func finish() -> String {
    fflush(nil)
    dup2(original, STDOUT_FILENO)
    close(original)
    rewind(file)
    var bytes = [UInt8](repeating: 0, count: Self.shown)
    let count = fread(&bytes, 1, bytes.count, file)
    fclose(file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
