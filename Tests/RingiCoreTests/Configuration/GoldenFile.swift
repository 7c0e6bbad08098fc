import Foundation
import Testing

/// A configuration and what is said about it, in one file.
///
/// After some words about the case come parts, each after a line `-- NAME --`: the files of the configuration, and at
/// last `expected`, the problems one a line. After a name may stand `mode=0644` (files are 0600 otherwise), `folder`, or
/// `link=PATH` for a symbolic link.
struct GoldenFile: CustomTestStringConvertible, Sendable {
  struct Part: Sendable {
    let name: String
    let options: [String: String]
    var text: String
  }

  let url: URL
  let words: String
  let parts: [Part]
  let expected: String

  var testDescription: String { url.lastPathComponent }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Fixtures/Configuration").standardized

  /// All golden files, by name.
  static let all: [GoldenFile] = {
    let urls = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    return urls.filter { $0.pathExtension == "txt" }.sorted { $0.path < $1.path }.map(GoldenFile.init)
  }()

  init(_ url: URL) {
    self.url = url
    var words = ""
    var parts: [Part] = []
    let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("-- "), line.hasSuffix(" --") {
        let fields = line.dropFirst(3).dropLast(3).split(separator: " ").map(String.init)
        let options = fields.dropFirst().map { field in
          let pair = field.split(separator: "=", maxSplits: 1).map(String.init)
          return (pair[0], pair.count > 1 ? pair[1] : "")
        }
        parts.append(Part(name: fields[0], options: Dictionary(uniqueKeysWithValues: options), text: ""))
      } else if parts.isEmpty {
        words += line + "\n"
      } else {
        parts[parts.count - 1].text += line + "\n"
      }
    }
    self.words = words
    // The text's last newline ends a line, it doesn't begin one.
    if let last = parts.last, last.text.hasSuffix("\n") { parts[parts.count - 1].text.removeLast() }
    expected = parts.last?.name == "expected" ? parts.removeLast().text : ""
    self.parts = parts
  }

  /// Writes the configuration's files into a folder.
  func write(to folder: URL) throws {
    let files = FileManager.default
    for part in parts {
      let path = folder.appending(path: part.name)
      try files.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      if let target = part.options["link"] {
        try files.createSymbolicLink(atPath: path.path, withDestinationPath: target)
      } else if part.options["folder"] != nil {
        try files.createDirectory(at: path, withIntermediateDirectories: true)
      } else {
        try Data(part.text.utf8).write(to: path)
        let mode = part.options["mode"].flatMap { Int($0, radix: 8) } ?? 0o600
        try files.setAttributes([.posixPermissions: mode], ofItemAtPath: path.path)
      }
    }
  }

  /// Puts what is said now into the file, for a person to look at before it is kept.
  func rewrite(_ found: String) throws {
    let text = parts.map { part in
      let options = part.options.sorted { $0.key < $1.key }
        .map { $0.value.isEmpty ? " \($0.key)" : " \($0.key)=\($0.value)" }
      return "-- \(part.name)\(options.joined()) --\n\(part.text)"
    }
    try Data((words + text.joined() + "-- expected --\n" + found).utf8).write(to: url)
  }
}
