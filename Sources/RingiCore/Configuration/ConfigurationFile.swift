internal import EventLoop
internal import Glibc
package import JSON

/// One file of the configuration, read and parsed; it collects what is wrong with it.
package struct ConfigurationFile: Sendable {
  /// The most that a file may hold, in bytes.
  static let maxBytes = 4 << 20

  package let path: String
  /// Its name without the ending, which names what it declares.
  package let name: String
  package private(set) var problems: [ConfigurationProblem] = []
  private let text: [UInt8]
  let value: JSONValue

  /// Reads a file; one that can't be read or parsed is empty and has a problem.
  package init(path: String) {
    self.path = path
    let last = path.split(separator: "/").last.map(String.init) ?? path
    name = last.hasSuffix(".json") ? String(last.dropLast(5)) : last
    do {
      text = try Self.read(path)
    } catch {
      text = []
      value = .emptyObject
      problems = [ConfigurationProblem(file: path, message: "can't be read: \(error)")]
      return
    }
    do throws(JSONSyntaxError) {
      value = try JSONValue(parsing: text, options: JSONParsingOptions(duplicateKeys: .reject))
    } catch {
      value = .emptyObject
      problems = [ConfigurationProblem(file: path, line: error.line, column: error.column, message: error.message)]
    }
  }

  private static func read(_ path: String) throws(SystemError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw .last("open") }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .last("stat") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(EISDIR, "it is no regular file") }
    guard status.st_size <= maxBytes else { throw SystemError(EFBIG, "it is over \(maxBytes) bytes") }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
    var count = 0
    while count < bytes.count {
      let space = bytes.count - count
      let got = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress?.advanced(by: count), space) }
      if got < 0 { throw .last("read") }
      if got == 0 { break }
      count += got
    }
    return Array(bytes.prefix(count))
  }

  /// Whether nothing is wrong that keeps it from working.
  package var isUsable: Bool { problems.allSatisfy(\.isWarning) }

  /// Notes a problem at a place of the file.
  package mutating func complain(
    at pointer: JSONPointer, aboutKey: Bool = false, _ message: String, isWarning: Bool = false
  ) {
    let place = JSONLocator(text).place(of: pointer, aboutKey ? .key : .value)
    problems.append(
      ConfigurationProblem(
        file: path, line: place.line, column: place.column, message: message, isWarning: isWarning))
  }

  /// Checks a part of the file against a schema.
  mutating func check(_ schema: Schema, at pointer: JSONPointer = .root) {
    guard isUsable, let part = value[pointer: pointer] else { return }
    for violation in schema.validate(part) {
      complain(
        at: JSONPointer(tokens: pointer.tokens + violation.pointer.tokens), aboutKey: violation.concernsKey,
        violation.message)
    }
  }

  /// Warns of a secret that stands in a file which others may read.
  mutating func checkSecrets(_ schema: Schema, at pointer: JSONPointer) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o044 != 0 else { return }
    for (name, property) in schema.properties where property.json["x-secret"]?.bool == true {
      let place = pointer.appending(name)
      guard value[pointer: place]?.string != nil else { continue }
      complain(
        at: place,
        "\(name) is a secret in a file that others can read; `chmod 600` it, or use {\"env\"}, {\"file\"}, {\"command\"} or {\"credential\"}",
        isWarning: true)
    }
  }
}
