import Testing
import Timing

@Suite struct RelativeTextTests {
  @Test(arguments: [
    (0, "now"), (-999, "now"), (999, "now"), (-1000, "1 s ago"), (40_000, "in 40 s"), (-59_999, "59 s ago"),
    (-60_000, "1 min ago"), (-200_000, "3 min ago"), (7_200_000, "in 2 h"), (-86_399_999, "23 h ago"),
    (-86_400_000, "1 d ago"), (1_036_800_000, "in 12 d"),
  ])
  func theLargestUnitThatFitsIsNamed(distance: Int64, text: String) {
    let now = Timestamp(milliseconds: 1_796_015_340_123)
    #expect((now + .milliseconds(distance)).relativeText(now: now) == text)
  }

  @Test func theEndsOfTheTimeLineHaveADistance() {
    #expect(Timestamp.earliest.relativeText(now: .latest) == "3652424 d ago")
  }
}
