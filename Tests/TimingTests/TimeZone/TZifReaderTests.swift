import Foundation
import Testing

@testable import Timing

@Suite struct TZifReaderTests {
  @Test func aFileOfTheFirstVersionHasTimesOfFourBytes() throws {
    let history = try TZifReader.history(
      header(version: 0, changes: 2, types: 2) + [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 10] + [1, 0]
        + type(3600) + type(-7200) + [0])
    #expect(history == ZoneHistory(changes: [-1, 10], offsets: [3600, -7200, 3600], rule: nil))
  }

  @Test func laterVersionsHaveTimesOfEightBytesAndARule() throws {
    let history = try TZifReader.history(laterVersion(rule: "CET-1"))
    #expect(history.changes == [-2])
    #expect(history.offsets == [3600, 7200])
    #expect(history.rule == ZoneRule("CET-1"))
  }

  @Test func anEmptyRuleMeansThatTheLastOffsetStays() throws {
    let history = try TZifReader.history(laterVersion(rule: ""))
    #expect(history.period(at: .max) == ZonePeriod(start: -2, end: .max, offset: 7200))
    #expect(history.period(at: -3) == ZonePeriod(start: .min, end: -2, offset: 3600))
  }

  @Test func aFileThatEndsAnywhereIsRefused() throws {
    let whole = try [UInt8](Data(contentsOf: URL(filePath: Fixtures.zones.folder + "/Europe/Dublin")))
    _ = try TZifReader.history(whole)
    for count in 0..<whole.count {
      #expect(throws: TZifReader.Failure.self) { try TZifReader.history(Array(whole.prefix(count))) }
    }
  }

  @Test func damagedBytesAreRefusedOrReadButNeverTrap() throws {
    let whole = try [UInt8](Data(contentsOf: URL(filePath: Fixtures.zones.folder + "/Africa/Casablanca")))
    for index in whole.indices {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var damaged = whole
        damaged[index] = value
        let history = try? TZifReader.history(damaged)
        _ = history?.period(at: 0)
        _ = history?.period(at: 4_000_000_000)
      }
    }
  }

  @Test(arguments: [
    ("not a time zone at all, but long enough to be one", "begin with TZif"),
    ("TZif", "cut short"),
  ])
  func anotherFileIsRefusedWithTheReason(text: String, reason: String) {
    let error = #expect(throws: TZifReader.Failure.self) { try TZifReader.history(Array(text.utf8)) }
    #expect(error?.reason.contains(reason) == true)
  }

  @Test func whatTheDataContradictIsRefused() {
    let plain = header(version: 0, changes: 1, types: 1) + [0, 0, 0, 0]
    let unknownType = plain + [1] + type(0) + [0]
    let noType = header(version: 0, changes: 0, types: 0) + [0]
    let tooFar = plain + [0] + type(93_600) + [0]
    let disorder = header(version: 0, changes: 2, types: 1) + [0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + type(0) + [0]
    let leapSeconds =
      header(version: 0, changes: 0, types: 1, leapSeconds: 1) + type(0) + [0] + Array(repeating: 0, count: 8)
    for bytes in [unknownType, noType, tooFar, disorder, leapSeconds] {
      #expect(throws: TZifReader.Failure.self) { try TZifReader.history(bytes) }
    }
  }

  private func laterVersion(rule: String) -> [UInt8] {
    header(version: UInt8(ascii: "2"), changes: 0, types: 1) + type(0) + [0]
      + header(version: UInt8(ascii: "2"), changes: 1, types: 2)
      + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE] + [1] + type(3600) + type(7200) + [0] + "\n\(rule)\n".utf8
  }

  /// A header for a block with one byte of names.
  private func header(version: UInt8, changes: UInt8, types: UInt8, leapSeconds: UInt8 = 0) -> [UInt8] {
    Array("TZif".utf8) + [version] + Array(repeating: 0, count: 15)
      + [0, 0, leapSeconds, changes, types, 1].flatMap { [0, 0, 0, $0] }
  }

  private func type(_ offset: Int32) -> [UInt8] {
    withUnsafeBytes(of: offset.bigEndian) { Array($0) } + [0, 0]
  }
}
