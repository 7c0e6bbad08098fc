import Foundation

@testable import Timing

/// The files in Tests/Fixtures/Timing; make-tables.py there makes them.
enum Fixtures {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "../Fixtures/Timing")

  /// Time zones that no update of tzdata changes.
  static let zones = ZoneDatabase(folder: folder.appending(path: "zoneinfo").path)

  static func lines(of name: String) throws -> [Substring] {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      .split(separator: "\n").filter { !$0.hasPrefix("#") }
  }

  static func zone(_ identifier: String) throws -> Timing.TimeZone {
    try Timing.TimeZone(identifier: identifier, database: zones)
  }
}

extension Timestamp: ExpressibleByStringLiteral {
  /// RFC 3339 in tests; a text that is none gives the latest timestamp, which no test expects.
  init(stringLiteral text: String) {
    self = Timestamp(rfc3339: text) ?? .latest
  }
}
