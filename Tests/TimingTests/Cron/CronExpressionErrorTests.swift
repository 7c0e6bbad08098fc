import Testing
import Timing

@Suite struct CronExpressionErrorTests {
  private static let forms = "ranges (1-5), steps (*/2) and lists (1,3) of them, or *"

  @Test(arguments: [
    ("60 * * * *", "column 1: minute: \"60\" is none: it takes 0 to 59, \(forms)"),
    ("0 24 * * *", "column 3: hour: \"24\" is none: it takes 0 to 23, \(forms)"),
    ("0 0 0 * *", "column 5: day-of-month: \"0\" is none: it takes 1 to 31, \(forms)"),
    ("0 0 1 13 *", "column 7: month: \"13\" is none: it takes 1 to 12 or JAN to DEC, \(forms)"),
    (
      "0 0 * * 8", "column 9: day-of-week: \"8\" is none: it takes 0 to 7 (0 and 7 are Sunday) or SUN to SAT, \(forms)"
    ),
    ("  0 0 1,32 * *", "column 9: day-of-month: \"32\" is none: it takes 1 to 31, \(forms)"),
    ("0 9-25 * * *", "column 5: hour: \"25\" in \"9-25\" is none: it takes 0 to 23, \(forms)"),
    ("0 5- * * *", "column 5: hour: \"\" in \"5-\" is none: it takes 0 to 23, \(forms)"),
    ("0,,5 * * * *", "column 3: minute: \"\" is none: it takes 0 to 59, \(forms)"),
    ("*/0 * * * *", "column 3: minute: the step \"0\" in \"*/0\" is none: it takes 1 to 60"),
    ("0 */25 * * *", "column 5: hour: the step \"25\" in \"*/25\" is none: it takes 1 to 24"),
    ("0 */ * * *", "column 5: hour: the step \"\" in \"*/\" is none: it takes 1 to 24"),
    ("0 17-9 * * *", "column 3: hour: the range \"17-9\" runs backwards: write it as two ranges"),
    (
      "0 0 * * fri-sun",
      "column 9: day-of-week: the range \"fri-sun\" runs backwards: write 7 for a Sunday at its end"
    ),
    ("0 9 31 2 *", "column 5: day-of-month: \"31\" never comes in month \"2\", so this would never run"),
    ("0 9 31 2,4,6 */2", "column 5: day-of-month: \"31\" never comes in month \"2,4,6\", so this would never run"),
    (
      "* * * *",
      "column 8: \"* * * *\" has 4 fields: it takes five (minute hour day-of-month month day-of-week), "
        + "or a nickname such as @daily"
    ),
    (
      "0 0 0 * * *",
      "column 11: \"0 0 0 * * *\" has 6 fields: it takes five (minute hour day-of-month month day-of-week), "
        + "or a nickname such as @daily"
    ),
    (
      " @reboot",
      "column 2: \"@reboot\" is no nickname: there are @annually, @daily, @hourly, @midnight, @monthly, @weekly, @yearly"
    ),
  ])
  func theMessageNamesFieldAndColumnAndWhatIsTaken(text: String, message: String) {
    let error = #expect(throws: CronExpressionError.self) { try CronExpression(parsing: text, timeZone: .utc) }
    #expect(error?.description == message)
  }

  @Test(arguments: [
    "", " ", "hello", "* * * * * *", "a * * * *", "-1 * * * *", "+1 * * * *", "1.5 * * * *", "* * L * *", "* * ? * *",
    "* * * * 5#2", "* * * * 5L", "0 0 15W * *", "* * * january *", "* * * * monday", "MON * * * *", "*5 * * * *",
    "** * * * *", "*-5 * * * *", "1-2-3 * * * *", "*/2/2 * * * *", "１ * * * *", "99999999999999999999 * * * *",
    "0 0 1 1 *\n", "@daily 5", "@", "0 0 30 feb *", "0 0 30,31 2 *",
  ])
  func anythingElseIsRefused(text: String) {
    #expect(throws: CronExpressionError.self) { try CronExpression(parsing: text, timeZone: .utc) }
  }

  @Test(arguments: ["0 9 31 2 1", "0 9 29 2 *", "0 9 30 1,2 *", "0 9 28-31 2 *", "0 9 29 2 */7"])
  func whatCanStillRunIsTaken(text: String) throws {
    #expect(try CronExpression(parsing: text, timeZone: .utc).next(after: Timestamp(milliseconds: 0)) != nil)
  }
}
