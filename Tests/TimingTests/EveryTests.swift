import Testing
import Timing

@Suite struct EveryTests {
  @Test func theNextTimeIsOnePeriodLater() {
    #expect(Every(.seconds(30))?.next(after: Timestamp(milliseconds: 250)) == Timestamp(milliseconds: 30_250))
  }

  @Test(arguments: [Duration.zero, .seconds(-1), .microseconds(999)])
  func aPeriodThatNeverMovesOnIsRefused(period: Duration) {
    #expect(Every(period) == nil)
  }

  @Test func nothingComesAfterTheEndOfTheTimeLine() {
    #expect(Every(.milliseconds(1))?.next(after: .latest) == nil)
    #expect(Every(.seconds(Int64.max))?.next(after: Timestamp(milliseconds: 0)) == nil)
    #expect(Every(.milliseconds(1))?.next(after: .latest - .milliseconds(1)) == .latest)
  }
}
