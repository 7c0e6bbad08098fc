import Testing

@testable import Timing

@Suite struct CronExpressionTests {
  @Test(arguments: [
    (
      "30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z",
      ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"] as [Timestamp]
    ),
    ("0 0 * * *", "Africa/Cairo", "2026-04-23T12:00:00Z", ["2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"]),
    ("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", ["2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"]),
    ("0 9 * * *", "Pacific/Apia", "2011-12-29T20:00:00Z", ["2011-12-30T10:00:00Z", "2011-12-30T19:00:00Z"]),
  ])
  func aSkippedFixedTimeComesRightAfterTheGap(text: String, zone: String, start: Timestamp, runs: [Timestamp]) throws {
    #expect(try next(runs.count, text, zone, after: start) == runs)
  }

  @Test func severalTimesInOneGapComeOnce() throws {
    #expect(
      try next(3, "0,15,45 2-3 * * *", "Europe/Berlin", after: "2026-03-28T12:00:00Z") == [
        "2026-03-29T01:00:00Z", "2026-03-29T01:15:00Z", "2026-03-29T01:45:00Z",
      ])
  }

  @Test func aRepeatedFixedTimeComesTheFirstTimeOnly() throws {
    let runs = try next(2, "30 2 * * *", "Europe/Berlin", after: "2026-10-24T12:00:00Z")
    #expect(runs == ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"])
    // Neither does it come a second time when one asks in between, or in the repeated hour.
    for start: Timestamp in ["2026-10-25T00:30:00Z", "2026-10-25T00:45:00Z", "2026-10-25T01:10:00Z"] {
      #expect(try next(1, "30 2 * * *", "Europe/Berlin", after: start) == ["2026-10-26T01:30:00Z"])
    }
  }

  @Test func aWildcardHourGoesOnByRealTime() throws {
    #expect(
      try next(4, "30 * * * *", "Europe/Berlin", after: "2026-10-24T23:00:00Z") == [
        "2026-10-24T23:30:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z",
      ])
    #expect(
      try next(3, "30 * * * *", "Europe/Berlin", after: "2026-03-29T00:00:00Z") == [
        "2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z",
      ])
  }

  @Test func aWildcardMinuteGoesByRealTimeToo() throws {
    #expect(
      try next(5, "*/30 2 * * *", "Europe/Berlin", after: "2026-10-24T12:00:00Z") == [
        "2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z",
        "2026-10-26T01:00:00Z",
      ])
    #expect(
      try next(1, "*/30 2 * * *", "Europe/Berlin", after: "2026-03-28T12:00:00Z") == ["2026-03-30T00:00:00Z"])
  }

  @Test(
    arguments: ["10 0 * * *", "50 23 * * *"],
    ["Europe/Berlin", "America/New_York", "Africa/Cairo", "Australia/Lord_Howe"])
  func everyDateComesOnceAroundAChange(text: String, identifier: String) throws {
    let zone = try Fixtures.zone(identifier)
    var second = Timestamp("2026-01-02T00:00:00Z").seconds
    var changes = 0
    while second < Timestamp("2026-12-31T00:00:00Z").seconds {
      second = zone.period(at: second).end
      changes += 1
      let start = Timestamp(seconds: second - 10 * 86_400)
      let runs = try next(20, text, identifier, after: start)
      let days = runs.map { zone.civilTime(at: $0).date.daysSinceEpoch }
      let first = try #require(days.first)
      #expect(days == Array(first..<first + 20), "\(text) in \(identifier) after \(start)")
    }
    #expect(changes >= 2)
  }

  @Test(arguments: [
    (
      "0 9 13 * 5",
      [
        "2026-11-06T09:00:00Z", "2026-11-13T09:00:00Z", "2026-11-20T09:00:00Z", "2026-11-27T09:00:00Z",
        "2026-12-04T09:00:00Z", "2026-12-11T09:00:00Z", "2026-12-13T09:00:00Z",
      ] as [Timestamp]
    ),
    (
      "0 9 */2 * 1",
      [
        "2026-11-09T09:00:00Z", "2026-11-23T09:00:00Z", "2026-12-07T09:00:00Z", "2026-12-21T09:00:00Z",
        "2027-01-11T09:00:00Z",
      ]
    ),
    ("0 9 * * 7", ["2026-11-01T09:00:00Z", "2026-11-08T09:00:00Z"]),
    ("0 9 29 2 *", ["2028-02-29T09:00:00Z", "2032-02-29T09:00:00Z"]),
  ])
  func theTwoDayFieldsAreCombinedAsInVixieCron(text: String, runs: [Timestamp]) throws {
    #expect(try next(runs.count, text, "UTC", after: "2026-11-01T00:00:00Z") == runs)
  }

  @Test(arguments: [
    ("@hourly", "0 * * * *"), ("@daily", "0 0 * * *"), ("@midnight", "0 0 * * *"), ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"), ("@yearly", "0 0 1 1 *"), ("@annually", "0 0 1 1 *"), ("@Hourly", "0 * * * *"),
    (" 0\t0  * * mon-FRI ", "0 0 * * 1-5"), ("0 0 * jan,DEC *", "0 0 * 1,12 *"), ("5/20 * * * *", "5,25,45 * * * *"),
    ("0 0 * * 0-7", "0 0 * * *"), ("0 0 * * 5-7", "0 0 * * 0,5,6"), ("0-30/10,7 05 * * *", "0,7,10,20,30 5 * * *"),
    ("*/60 * * * *", "0 * * * *"), ("0 0 * * 1/2", "0 0 * * 1,3,5,0"), ("5-5/2 0 * * *", "5 0 * * *"),
  ])
  func otherSpellingsMeanTheSame(text: String, plain: String) throws {
    for zone in ["UTC", "Europe/Berlin"] {
      #expect(
        try next(100, text, zone, after: "2026-03-01T00:00:00Z")
          == next(100, plain, zone, after: "2026-03-01T00:00:00Z"))
    }
  }

  @Test func theNextRunIsLaterThanTheMomentItself() throws {
    #expect(try next(1, "0 * * * *", "UTC", after: "2026-11-01T00:00:00Z") == ["2026-11-01T01:00:00Z"])
    #expect(try next(1, "0 * * * *", "UTC", after: "2026-11-01T00:59:59.999Z") == ["2026-11-01T01:00:00Z"])
    #expect(try next(1, "0 1 * * *", "UTC", after: "2026-11-01T01:00:00.001Z") == ["2026-11-02T01:00:00Z"])
    #expect(try next(1, "0 1 * * *", "UTC", after: "1969-12-31T00:59:59.999Z") == ["1969-12-31T01:00:00Z"])
  }

  @Test func aLeapDayOnASundayIsFoundAcrossDecades() throws {
    #expect(
      try next(2, "0 0 29 2 */7", "UTC", after: "2070-01-01T00:00:00Z") == [
        "2088-02-29T00:00:00Z", "2128-02-29T00:00:00Z",
      ])
    #expect(
      try next(3, "0 0 */28 2 */7", "America/New_York", after: "2026-03-01T00:00:00Z") == [
        "2032-02-01T05:00:00Z", "2032-02-29T05:00:00Z", "2037-02-01T05:00:00Z",
      ])
  }

  @Test func nothingComesAfterTheEndOfTheTimeLine() throws {
    for text in ["59 23 31 12 *", "* * * * *", "0 0 29 2 *"] {
      for zone in ["UTC", "America/New_York", "Asia/Tokyo"] {
        let expression = try CronExpression(parsing: text, timeZone: Fixtures.zone(zone))
        #expect(expression.next(after: .latest) == nil)
        #expect(expression.next(after: "9999-12-31T23:59:00Z") == nil)
      }
    }
    #expect(try next(1, "0 0 1 1 *", "UTC", after: .earliest) == ["0001-01-01T00:00:00Z"])
  }

  private func next(
    _ count: Int, _ text: String, _ zone: String, after start: Timestamp
  ) throws -> [Timestamp] {
    let expression = try CronExpression(parsing: text, timeZone: Fixtures.zone(zone))
    var runs: [Timestamp] = []
    while runs.count < count, let next = expression.next(after: runs.last ?? start) { runs.append(next) }
    return runs
  }
}
