internal import EventLoop
internal import Glibc

/// A folder for one test, removed with all it holds when the test lets go of it.
package final class TemporaryFolder: Sendable {
  /// The absolute path, with no link in it.
  package let path: String

  package init() throws {
    var template = Array("\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/ringi-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError.last("mkdtemp") }
    guard let resolved = realpath(template, nil) else { throw SystemError.last("realpath") }
    path = String(cString: resolved)
    free(resolved)
  }

  deinit { Self.remove(path) }

  private static func remove(_ path: String) {
    for name in names(in: path) where name != "." && name != ".." {
      if unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
    }
    rmdir(path)
  }

  private static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      names.append(withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) })
    }
    return names
  }

  /// Writes a file.
  ///
  /// - Parameters:
  ///   - name: Its path in the folder.
  ///   - text: Its content.
  ///   - mode: Its permissions.
  /// - Throws: `SystemError`.
  package func write(_ name: String, _ text: String, mode: UInt32 = 0o644) throws {
    let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard file >= 0 else { throw SystemError.last("open") }
    defer { close(file) }
    let bytes = Array(text.utf8)
    guard Glibc.write(file, bytes, bytes.count) == bytes.count else { throw SystemError.last("write") }
  }

  /// The text of a file, or `nil` when it is not there.
  package func read(_ name: String) -> String? {
    guard let file = fopen("\(path)/\(name)", "re") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }
}
