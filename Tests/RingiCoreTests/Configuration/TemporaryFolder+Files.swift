import Foundation
import RingiTestSupport

extension TemporaryFolder {
  var url: URL { URL(filePath: path) }

  /// Writes a file, and the folders that lead to it.
  func put(_ name: String, _ text: String) throws {
    let folder = url.appending(path: name).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try write(name, text)
  }

  func makePipe(_ name: String) throws {
    guard mkfifo("\(path)/\(name)", 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  /// Removes a file or a folder; the empty name is the whole.
  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }
}
