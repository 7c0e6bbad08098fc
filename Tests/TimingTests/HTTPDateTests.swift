import Testing
import Timing

/// The examples are those of RFC 9110, section 5.6.7.
@Suite struct HTTPDateTests {
  let now = Timestamp(milliseconds: 1_796_015_340_000)  // 2026-11-30

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "Mon, 06 Nov 1994 08:49:37 GMT",
  ])
  func allThreeFormatsAreRead(text: String) {
    #expect(Timestamp(httpDate: text, now: now)?.milliseconds == 784_111_777_000)
  }

  @Test func asctimeHasDaysOfTwoDigitsAndLeapDays() {
    #expect(Timestamp(httpDate: "Mon Nov 30 05:09:00 2026", now: now) == now)
    #expect(Timestamp(httpDate: "Tue Feb 29 00:00:00 2028", now: now)?.rfc3339 == "2028-02-29T00:00:00Z")
    #expect(Timestamp(httpDate: "Sun Feb 29 00:00:00 2026", now: now) == nil)
  }

  @Test(arguments: [("76", "2076"), ("77", "1977"), ("26", "2026"), ("00", "2000"), ("99", "1999")])
  func aYearOfTwoDigitsIsNeverMoreThanFiftyYearsAhead(short: String, full: String) {
    #expect(
      Timestamp(httpDate: "Sunday, 06-Nov-\(short) 08:49:37 GMT", now: now)?.rfc3339 == "\(full)-11-06T08:49:37Z")
  }

  @Test func aYearOfTwoDigitsCanBelongToTheNextCentury() throws {
    let late = try #require(Timestamp(rfc3339: "2090-01-01T00:00:00Z"))
    #expect(Timestamp(httpDate: "Monday, 02-Jan-05 00:00:00 GMT", now: late)?.rfc3339 == "2105-01-02T00:00:00Z")
  }

  @Test func aLeapSecondIsRead() {
    #expect(Timestamp(httpDate: "Sat, 31 Dec 2016 23:59:60 GMT", now: now)?.rfc3339 == "2016-12-31T23:59:59Z")
  }

  @Test(arguments: [
    "", "0", "-5", "120", "soon", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT", "06 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 GMT ", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
    "1994-11-06T08:49:37Z",
  ])
  func anythingElseIsRefused(text: String) {
    #expect(Timestamp(httpDate: text, now: now) == nil)
  }

  @Test func datesAreWrittenInTheSendersFormat() {
    #expect(Timestamp(milliseconds: 784_111_777_999).httpDate == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(now.httpDate == "Mon, 30 Nov 2026 05:09:00 GMT")
  }
}
