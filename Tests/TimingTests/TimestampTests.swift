import Foundation
import Testing
import Timing

@Suite struct TimestampTests {
  @Test(arguments: [
    ("2026-11-30T05:09:00Z", 1_796_015_340_000),
    ("2026-11-30t05:09:00z", 1_796_015_340_000),
    ("2026-11-30T14:09:00+09:00", 1_796_015_340_000),
    ("2026-11-29T23:39:00-05:30", 1_796_015_340_000),
    ("2026-11-30T05:09:00-00:00", 1_796_015_340_000),
    ("2026-11-30T05:09:00.1Z", 1_796_015_340_100),
    ("2026-11-30T05:09:00.123999999999Z", 1_796_015_340_123),
    ("1969-12-31T23:59:59.999Z", -1),
    ("2000-02-29T00:00:00Z", 951_782_400_000),
    ("2016-12-31T23:59:60Z", 1_483_228_800_000),
    ("2017-01-01T08:59:60.7+09:00", 1_483_228_800_000),
    ("0000-01-01T00:00:00Z", -62_167_219_200_000),
    ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
  ])
  func rfc3339IsRead(text: String, milliseconds: Int64) {
    #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
  }

  @Test(arguments: [
    "", "2026", "2026-11-30", "2026-11-30T05:09:00", "2026-11-30 05:09:00Z", "2026-11-30T05:09Z",
    "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z", "2026-11-00T00:00:00Z", "2026-11-30T24:00:00Z", "2026-11-30T05:60:00Z",
    "2026-11-30T05:09:61Z", "2026-11-30T05:09:60Z", "2026-11-29T23:59:60Z", "2026-11-30T05:09:00.Z",
    "2026-11-30T05:09:00+24:00", "2026-11-30T05:09:00+09:60", "2026-11-30T05:09:00+0900", "2026-11-30T05:09:00+09",
    "2026-11-30T05:09:00Z ", " 2026-11-30T05:09:00Z", "2026-11-30T05:09:00ZZ", "26-11-30T05:09:00Z",
    "+2026-11-30T05:09:00Z", "２０２６-11-30T05:09:00Z", "2026-11-30T05:09:00,5Z", "0000-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
  ])
  func whatIsNotRFC3339IsRefused(text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
  }

  @Test(arguments: [
    "2026-11-30T05:09:00Z", "2026-11-30T05:09:00.007Z", "1969-12-31T23:59:59.999Z", "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999Z", "0987-06-05T04:03:02.100Z",
  ])
  func whatIsWrittenIsReadBackTheSame(text: String) {
    #expect(Timestamp(rfc3339: text)?.rfc3339 == text)
    #expect(Timestamp(rfc3339: text)?.description == text)
  }

  @Test func arithmeticStopsAtTheEndsOfTheTimeLine() {
    #expect(Timestamp(milliseconds: .max) == .latest)
    #expect(Timestamp(milliseconds: .min) == .earliest)
    #expect(Timestamp(seconds: .max) == .latest)
    #expect(Timestamp(seconds: .min) == .earliest)
    #expect(Timestamp.latest + .seconds(Int64.max) == .latest)
    #expect(Timestamp.latest - .seconds(Int64.min) == .latest)
    #expect(Timestamp.earliest - .seconds(Int64.max) == .earliest)
    #expect(Timestamp.earliest + .seconds(Int64.min) == .earliest)
  }

  @Test func aDurationLiesBetweenTwoTimestamps() {
    let start = Timestamp(milliseconds: -500)
    #expect(start + .milliseconds(1500) == Timestamp(milliseconds: 1000))
    #expect(start - .microseconds(1999) == Timestamp(milliseconds: -501))
    #expect(Timestamp(milliseconds: 1000).duration(since: start) == .milliseconds(1500))
    #expect(start.duration(since: Timestamp(milliseconds: 1000)) == .milliseconds(-1500))
    #expect(Timestamp.latest.duration(since: .earliest) == .milliseconds(315_569_519_999_999))
    #expect(start < Timestamp(milliseconds: 0))
    #expect(start.seconds == -1)
  }

  @Test func codingUsesTheText() throws {
    let coded = try JSONEncoder().encode([Timestamp(milliseconds: 1_796_015_340_000)])
    #expect(String(decoding: coded, as: UTF8.self) == #"["2026-11-30T05:09:00Z"]"#)
    #expect(try JSONDecoder().decode([Timestamp].self, from: coded) == [Timestamp(milliseconds: 1_796_015_340_000)])
  }

  @Test func decodingAnotherTextNamesIt() {
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Timestamp].self, from: Data(#"["yesterday"]"#.utf8))
    }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.debugDescription.contains("\"yesterday\""))
  }

  @Test func nowIsBetweenTwoReadingsOfTheSystemClock() {
    let before = Int64(Date().timeIntervalSince1970 * 1000)
    let now = Timestamp.now()
    let after = Int64(Date().timeIntervalSince1970 * 1000)
    #expect((before...after + 1).contains(now.milliseconds))
  }
}
