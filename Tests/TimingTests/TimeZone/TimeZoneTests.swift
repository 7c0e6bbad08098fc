import Foundation
import Testing

@testable import Timing

@Suite struct TimeZoneTests {
  @Test func everyChangeOfTwoCenturiesIsWhereTheTableHasIt() throws {
    for line in try Fixtures.lines(of: "offsets.txt") {
      let words = line.split(separator: " ")
      let zone = try Fixtures.zone(String(words[0]))
      let changes = try words.dropFirst().map { word in
        let numbers = word.split(separator: ":").compactMap { Int64($0) }
        try #require(numbers.count == 2)
        return (second: numbers[0], offset: numbers[1])
      }
      #expect(changes.count > 1)
      for (index, change) in changes.enumerated() {
        let end = index + 1 < changes.count ? changes[index + 1].second : change.second + 1
        // Walking from period to period finds changes that the table doesn't have.
        var second = change.second
        while second < end {
          let period = zone.period(at: second)
          guard period.offset == change.offset, period.start <= second, period.end > second else {
            Issue.record("\(zone.identifier) at \(Timestamp(seconds: second)): \(period), not \(change.offset)")
            break
          }
          #expect(zone.offset(at: Timestamp(seconds: min(period.end, end) - 1)) == Int(change.offset))
          second = period.end
        }
      }
    }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Berlin")))
  func theSystemsDatabaseIsUsed() throws {
    let berlin = try Timing.TimeZone(identifier: "Europe/Berlin")
    #expect(berlin.offset(at: "2020-07-01T00:00:00Z") == 7200)
    #expect(try berlin == Timing.TimeZone(identifier: "Europe/Berlin"))
  }

  @Test func utcNeedsNoDatabase() throws {
    let nowhere = ZoneDatabase(folder: "/nonexistent")
    #expect(try Timing.TimeZone(identifier: "UTC", database: nowhere) == .utc)
    #expect(try Timing.TimeZone(identifier: "Etc/UTC", database: nowhere).offset(at: .latest) == 0)
    #expect(Timing.TimeZone.utc.civilTime(at: "2026-11-30T05:09:00.999Z").description == "2026-11-30T05:09:00")
  }

  @Test func aTimeOnMostDaysComesOnce() throws {
    let berlin = try Fixtures.zone("Europe/Berlin")
    #expect(berlin.match(try time(2026, 7, 1, 12, 0)) == .once("2026-07-01T10:00:00Z"))
    #expect(berlin.match(try time(2026, 12, 1, 12, 0)) == .once("2026-12-01T11:00:00Z"))
    #expect(berlin.match(try time(2100, 7, 1, 12, 0)) == .once("2100-07-01T10:00:00Z"))
  }

  @Test func aRepeatedTimeComesTwice() throws {
    let berlin = try Fixtures.zone("Europe/Berlin")
    #expect(berlin.match(try time(2026, 10, 25, 2, 30)) == .twice("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"))
    #expect(berlin.match(try time(2026, 10, 25, 2, 0)) == .twice("2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z"))
    #expect(berlin.match(try time(2026, 10, 25, 3, 0)) == .once("2026-10-25T02:00:00Z"))
  }

  @Test func aSkippedTimeNamesTheMomentOfTheGap() throws {
    let berlin = try Fixtures.zone("Europe/Berlin")
    #expect(berlin.match(try time(2026, 3, 29, 1, 59)) == .once("2026-03-29T00:59:00Z"))
    #expect(berlin.match(try time(2026, 3, 29, 2, 0)) == .never(skippedAt: "2026-03-29T01:00:00Z"))
    #expect(berlin.match(try time(2026, 3, 29, 2, 59)) == .never(skippedAt: "2026-03-29T01:00:00Z"))
    #expect(berlin.match(try time(2026, 3, 29, 3, 0)) == .once("2026-03-29T01:00:00Z"))
  }

  @Test func aWholeDayCanBeSkipped() throws {
    let apia = try Fixtures.zone("Pacific/Apia")
    #expect(apia.match(try time(2011, 12, 29, 23, 59)) == .once("2011-12-30T09:59:00Z"))
    #expect(apia.match(try time(2011, 12, 30, 12, 0)) == .never(skippedAt: "2011-12-30T10:00:00Z"))
    #expect(apia.match(try time(2011, 12, 31, 0, 0)) == .once("2011-12-30T10:00:00Z"))
  }

  @Test func theClocksCanChangeByHalfAnHourOrTwo() throws {
    let lordHowe = try Fixtures.zone("Australia/Lord_Howe")
    #expect(lordHowe.match(try time(2026, 10, 4, 2, 15)) == .never(skippedAt: "2026-10-03T15:30:00Z"))
    #expect(lordHowe.match(try time(2026, 4, 5, 1, 45)) == .twice("2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z"))
    let troll = try Fixtures.zone("Antarctica/Troll")
    #expect(troll.match(try time(2026, 3, 29, 2, 30)) == .never(skippedAt: "2026-03-29T01:00:00Z"))
    #expect(troll.match(try time(2026, 10, 25, 2, 30)).timestamps == ["2026-10-25T00:30:00Z", "2026-10-25T02:30:00Z"])
  }

  @Test func timesAtTheEndsOfTheTimeLineAreFound() throws {
    let tokyo = try Fixtures.zone("Asia/Tokyo")
    #expect(tokyo.match(try time(9999, 12, 31, 12, 0)) == .once("9999-12-31T03:00:00Z"))
    #expect(tokyo.match(try time(0, 1, 2, 0, 0)).timestamps.count == 1)
    #expect(tokyo.civilTime(at: .latest).description == "10000-01-01T08:59:59")
  }

  @Test(arguments: [
    "", "/etc/passwd", "../zoneinfo/UTC", "Europe/../UTC", "Europe//Berlin", "Europe/", "Europe/Ber lin", ".",
    "Europe/Berlin\0", "Europe/Zürich",
  ])
  func whatIsNoNameIsRefused(identifier: String) {
    #expect(throws: TimeZoneError.malformed(identifier: identifier)) { try Fixtures.zone(identifier) }
  }

  @Test(arguments: ["Europe/Atlantis", "europe/berlin", "Europe"])
  func anUnknownZoneIsRefused(identifier: String) {
    let error = #expect(throws: TimeZoneError.self) { try Fixtures.zone(identifier) }
    #expect(error == .unknown(identifier: identifier, folder: Fixtures.zones.folder))
    #expect(error?.description.contains("check its spelling") == true)
  }

  @Test func aMissingDatabaseSaysWhatToInstall() {
    let error = #expect(throws: TimeZoneError.self) {
      try Timing.TimeZone(identifier: "Europe/Berlin", database: ZoneDatabase(folder: "/nonexistent"))
    }
    #expect(error?.description.contains("install the package tzdata") == true)
  }

  private func time(_ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int) throws -> CivilTime {
    let date = try #require(CivilDate(year: year, month: month, day: day))
    return try #require(CivilTime(date, hour: hour, minute: minute))
  }
}
