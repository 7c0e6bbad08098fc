import Testing

@testable import Timing

@Suite struct CivilDateTests {
  @Test func everyDayOfFourCenturiesFollowsTheOneBefore() throws {
    var day = try #require(CivilDate(year: 1800, month: 1, day: 1))
    let first = day.daysSinceEpoch
    #expect(first == -62_091)
    for number in (first + 1)...(first + 146_097) {
      let next = CivilDate(daysSinceEpoch: number)
      let isNextDay =
        CivilDate(year: day.year, month: day.month, day: day.day + 1)
        ?? CivilDate(year: day.year, month: day.month + 1, day: 1)
        ?? CivilDate(year: day.year + 1, month: 1, day: 1)
      guard next == isNextDay, next.daysSinceEpoch == number else {
        Issue.record("\(next) follows \(day)")
        return
      }
      day = next
    }
    #expect(day == CivilDate(year: 2200, month: 1, day: 1))
  }

  @Test(arguments: [(1900, false), (2000, true), (2023, false), (2024, true), (2100, false), (0, true)])
  func leapYearsHaveA29thOfFebruary(year: Int, isLeap: Bool) {
    #expect((CivilDate(year: year, month: 2, day: 29) != nil) == isLeap)
  }

  @Test func daysThatDoNotExistAreRefused() {
    #expect(CivilDate(year: 2026, month: 4, day: 31) == nil)
    #expect(CivilDate(year: 2026, month: 13, day: 1) == nil)
    #expect(CivilDate(year: 2026, month: 0, day: 1) == nil)
    #expect(CivilDate(year: 2026, month: 1, day: 0) == nil)
  }

  @Test func weekdaysCountFromSunday() {
    #expect(CivilDate(year: 2026, month: 11, day: 1)?.weekday == 0)
    #expect(CivilDate(year: 1970, month: 1, day: 1)?.weekday == 4)
    #expect(CivilDate(year: 1969, month: 12, day: 28)?.weekday == 0)
  }
}
