import Testing

@testable import Timing

@Suite struct ZoneRuleTests {
  @Test(arguments: [
    ("UTC0", "2026-07-01T00:00:00Z", 0),
    ("<-03>3", "2026-07-01T00:00:00Z", -10_800),
    ("<+0545>-5:45", "2026-07-01T00:00:00Z", 20_700),
    ("LMT+0:44:30", "2026-07-01T00:00:00Z", -2670),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T00:59:59Z", 3600),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T01:00:00Z", 7200),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T00:59:59Z", 7200),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T01:00:00Z", 3600),
    // Dublin's winter time is its daylight saving time, an hour behind.
    ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-15T00:00:00Z", 0),
    ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-07-15T00:00:00Z", 3600),
    // The southern summer goes over the new year.
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2025-12-31T23:59:59Z", 39_600),
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-04-04T16:00:00Z", 36_000),
    // Hours beyond the day, to either side.
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T00:59:59Z", -7200),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -3600),
    ("EET-2EEST,M4.5.5/0,M10.5.4/24", "2026-10-29T20:59:59Z", 10_800),
    ("EET-2EEST,M4.5.5/0,M10.5.4/24", "2026-10-29T21:00:00Z", 7200),
    ("IST-2IDT,M3.4.4/26,M10.5.0", "2026-03-27T00:00:00Z", 10_800),
    // Numbered days, with and without the leap day.
    ("XST0XDT,J60,J300", "2024-03-01T01:59:59Z", 0),
    ("XST0XDT,J60,J300", "2024-03-01T02:00:00Z", 3600),
    ("XST0XDT,59,299", "2024-02-29T02:00:00Z", 3600),
    ("XST0XDT,59,299", "2025-03-01T02:00:00Z", 3600),
    // Daylight saving all the year.
    ("XXX3EDT4,0/0,J365/23", "2026-01-01T02:30:00Z", -14_400),
    ("XXX3EDT4,0/0,J365/23", "2026-01-01T03:00:00Z", -14_400),
    ("XXX3EDT4,0/0,J365/23", "2026-07-01T00:00:00Z", -14_400),
  ])
  func theOffsetFollowsTheRule(text: String, moment: String, offset: Int64) throws {
    let rule = try #require(ZoneRule(text))
    #expect(rule.period(at: try #require(Timestamp(rfc3339: moment)).seconds).offset == offset)
  }

  @Test func aPeriodGoesFromOneChangeToTheNext() throws {
    let rule = try #require(ZoneRule("CET-1CEST,M3.5.0,M10.5.0/3"))
    let spring = Timestamp("2026-03-29T01:00:00Z").seconds
    let autumn = Timestamp("2026-10-25T01:00:00Z").seconds
    let nextSpring = Timestamp("2027-03-28T01:00:00Z").seconds
    #expect(rule.period(at: spring) == ZonePeriod(start: spring, end: autumn, offset: 7200))
    #expect(rule.period(at: autumn - 1) == ZonePeriod(start: spring, end: autumn, offset: 7200))
    #expect(rule.period(at: autumn) == ZonePeriod(start: autumn, end: nextSpring, offset: 3600))
    #expect(rule.period(at: nextSpring - 1) == ZonePeriod(start: autumn, end: nextSpring, offset: 3600))
  }

  @Test(arguments: [
    "", "UTC", "U0", "UTC25", "UTC0:60", "<UTC0", "<>0", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
    "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J300", "CET-1CEST,366,300",
    "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0/3 ", "CET-1CEST,M3.5.0,M10.5.0,", "CET-",
  ])
  func whatIsNoRuleIsRefused(text: String) {
    #expect(ZoneRule(text) == nil)
  }
}
