import HTTP
import Testing
import Timing

@Suite struct RetryAfterTests {
  private let now = Timestamp(milliseconds: 1_795_996_800_000)  // 2026-11-30T00:00:00Z

  @Test(arguments: [
    ("0", Duration.zero), ("120", .seconds(120)), ("60000", .seconds(60_000)), ("86400", .seconds(86_400)),
    ("86401", .seconds(86_400)), ("99999999999999999999999", .seconds(86_400)),
    ("Mon, 30 Nov 2026 01:00:00 GMT", .seconds(3600)), ("Monday, 30-Nov-26 01:00:00 GMT", .seconds(3600)),
    ("Mon Nov 30 01:00:00 2026", .seconds(3600)), ("Mon, 30 Nov 2020 01:00:00 GMT", .zero),
    ("Fri, 30 Nov 2029 01:00:00 GMT", .seconds(86_400)),
  ])
  func secondsAndDatesAreUnderstoodUpToADay(_ value: String, _ wait: Duration) {
    #expect(RetryAfter.wait(value, now: now) == wait)
  }

  @Test(arguments: ["", "-5", "+5", "1.5", "soon", "5s", "2026-11-30T01:00:00Z", "Mon, 31 Feb 2026 01:00:00 GMT"])
  func anythingElseIsNoWish(_ value: String) {
    #expect(RetryAfter.wait(value, now: now) == nil)
  }
}
