internal import Glibc

/// A folder with a TZif file for each zone, as the package tzdata installs it.
struct ZoneDatabase {
  /// A TZif file is a few kilobytes; more than this is something else.
  private static let largestFile = 1 << 20

  let folder: String

  /// The system's: $TZDIR, else /usr/share/zoneinfo.
  static var system: ZoneDatabase {
    ZoneDatabase(folder: environment("TZDIR") ?? "/usr/share/zoneinfo")
  }

  /// Reads the zone that is called `identifier`.
  func zone(_ identifier: String) throws(TimeZoneError) -> ZoneHistory {
    guard Self.isIdentifier(identifier) else { throw TimeZoneError.malformed(identifier: identifier) }
    let path = "\(folder)/\(identifier)"
    guard let history = try Self.read(path) else {
      throw access(folder, F_OK) == 0
        ? TimeZoneError.unknown(identifier: identifier, folder: folder)
        : TimeZoneError.noDatabase(identifier: identifier, folder: folder)
    }
    return history
  }

  /// Reads a TZif file, or gives nil when there is no file at `path`.
  static func read(_ path: String) throws(TimeZoneError) -> ZoneHistory? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw TimeZoneError.unreadable(path: path, reason: String(cString: strerror(errno)))
    }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 8192)
    while bytes.count <= largestFile {
      let count = Glibc.read(file, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      // A folder of zones, such as Europe, is no zone.
      if count < 0 && errno == EISDIR { return nil }
      guard count >= 0 else {
        throw TimeZoneError.unreadable(path: path, reason: String(cString: strerror(errno)))
      }
      if count == 0 { break }
      bytes += buffer.prefix(count)
    }
    do throws(TZifReader.Failure) {
      return try TZifReader.history(bytes)
    } catch {
      throw TimeZoneError.unreadable(path: path, reason: error.reason)
    }
  }

  /// Whether `text` has the form of a name in the database: it can't lead out of the folder.
  private static func isIdentifier(_ text: String) -> Bool {
    text.utf8.count <= 255
      && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
        !part.isEmpty
          && part.utf8.allSatisfy { ByteScanner.isLetter($0) || ByteScanner.isDigit($0) || "_+-".utf8.contains($0) }
      }
  }

  /// The value of an environment variable; nil when it is unset or empty.
  private static func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }
}
