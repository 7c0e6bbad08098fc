import Foundation
import Testing

@testable import Timing

@Suite struct TimeZoneLocalTests {
  @Test(arguments: ["Europe/Berlin", ":Europe/Berlin"])
  func theSettingNamesAZone(setting: String) throws {
    #expect(try local(setting) == Fixtures.zone("Europe/Berlin"))
  }

  @Test func theSettingCanBeAPath() throws {
    let zone = try local(":\(Fixtures.zones.folder)/Asia/Tokyo")
    #expect(zone.offset(at: "2026-11-30T00:00:00Z") == 9 * 3600)
  }

  @Test(arguments: [("UTC0", 0), ("<+0330>-3:30", 12_600), ("CET-1CEST,M3.5.0,M10.5.0/3", 7200)])
  func theSettingCanBeARule(setting: String, offset: Int) throws {
    #expect(try local(setting).offset(at: "2026-07-01T00:00:00Z") == offset)
  }

  @Test(arguments: ["", ":"])
  func anEmptySettingMeansUTC(setting: String) throws {
    #expect(try local(setting) == .utc)
  }

  @Test(arguments: ["Europe/Atlantis", "/nonexistent", "CET-1CEST"])
  func aWrongSettingIsRefused(setting: String) {
    #expect(throws: TimeZoneError.self) { try local(setting) }
  }

  @Test func aLinkIntoTheDatabaseGivesTheName() throws {
    let link = FileManager.default.temporaryDirectory.appending(path: "localtime-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: link) }
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: "\(Fixtures.zones.folder)/America/St_Johns")
    let zone = try TimeZone.local(setting: nil, link: link, database: Fixtures.zones)
    #expect(zone == (try Fixtures.zone("America/St_Johns")))
  }

  @Test func withoutSettingAndFileItIsUTC() throws {
    #expect(try local(nil) == .utc)
  }

  private func local(_ setting: String?) throws -> Timing.TimeZone {
    try TimeZone.local(setting: setting, link: "/nonexistent", database: Fixtures.zones)
  }
}
