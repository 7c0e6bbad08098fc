import Testing
import Timing

@Suite struct DurationTextTests {
  @Test(arguments: [
    ("500ms", Duration.milliseconds(500)), ("30s", .seconds(30)), ("5m", .seconds(300)), ("2h", .seconds(7200)),
    ("1d", .seconds(86_400)), ("0s", .zero), ("007s", .seconds(7)),
    ("9223372036854775807ms", .milliseconds(Int64.max)), ("106751991167d", .seconds(106_751_991_167 * 86_400)),
  ])
  func aWholeNumberAndAUnitIsRead(text: String, duration: Duration) throws {
    #expect(try DurationText.parse(text) == duration)
  }

  @Test(arguments: [
    "", "30", "s", "-5s", "+5s", "1.5h", "30 s", " 30s", "30s ", "30S", "1h30m", "2w", "30sec", "３０s", "1e3s", "∞",
    "30s\0",
  ])
  func anythingElseIsRefusedAndNamed(text: String) {
    let error = #expect(throws: DurationTextError.self) { try DurationText.parse(text) }
    #expect(
      error?.description
        == "\"\(text)\" is no duration: write a whole number and a unit, 500ms, 30s, 5m, 2h or 1d")
  }

  @Test(arguments: ["106751991168d", "9223372036854775808ms", "99999999999999999999999999s"])
  func whatDoesNotFitIsRefused(text: String) {
    let error = #expect(throws: DurationTextError.self) { try DurationText.parse(text) }
    #expect(error?.description == "\"\(text)\" is too long: a duration is at most 106751991167d")
  }

  @Test(arguments: [
    (Duration.milliseconds(500), "500ms"), (.seconds(30), "30s"), (.seconds(90), "90s"), (.seconds(60), "1m"),
    (.seconds(3600), "1h"), (.seconds(5400), "90m"), (.seconds(172_800), "2d"), (.zero, "0s"),
    (.milliseconds(1500), "1500ms"), (.milliseconds(Int64.max), "9223372036854775807ms"),
  ])
  func theShortestExactTextIsWritten(duration: Duration, text: String) throws {
    #expect(DurationText.format(duration) == text)
    #expect(try DurationText.parse(text) == duration)
  }

  @Test func whatIsShorterThanAMillisecondIsLeftOut() {
    #expect(DurationText.format(.microseconds(1_500_999)) == "1500ms")
    #expect(DurationText.format(.nanoseconds(1)) == "0s")
  }
}
