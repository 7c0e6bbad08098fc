internal import EventLoop
internal import Glibc

/// The standard output of this process, kept from what else lives in it.
struct DivertedOutput {
  /// Twice what is shown, since a text gets shorter when secrets are taken out.
  private static let kept = 2 * PluginCheck.shown

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
  /// - Returns: The beginning of what was printed meanwhile, and whether there is more.
  func finish() -> (text: [UInt8], isCut: Bool) {
    fflush(nil)
    dup2(original, STDOUT_FILENO)
    close(original)
    rewind(file)
    var bytes = [UInt8](repeating: 0, count: Self.kept)
    let count = fread(&bytes, 1, bytes.count, file)
    fclose(file)
    return (Array(bytes.prefix(count)), count == bytes.count)
  }
}
